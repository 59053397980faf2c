-- What a bundle holds beside the tables of every database. Written once, by BundleWriter; `format` counts up when it changes.
-- See SCHEMA.md.

CREATE TABLE bundle (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  format INTEGER NOT NULL,
  warptune_version TEXT NOT NULL,
  nvrtc_version TEXT NOT NULL,
  headers_hash TEXT NOT NULL,
  made_unix_s INTEGER NOT NULL
) STRICT;

-- All that planning needs of a kernel: one version of each.
CREATE TABLE bundle_template (
  id INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL UNIQUE,
  template_hash TEXT NOT NULL,
  manifest_name TEXT NOT NULL,
  manifest TEXT NOT NULL,
  source_name TEXT NOT NULL,
  source TEXT NOT NULL
) STRICT;
CREATE TABLE bundle_header (
  id INTEGER PRIMARY KEY,
  template INTEGER NOT NULL REFERENCES bundle_template (id),
  name TEXT NOT NULL,
  content TEXT NOT NULL,
  UNIQUE (template, name)
) STRICT;

-- hash: of the bytes; what does not fit it is not loaded.
CREATE TABLE bundle_image (
  id INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  bytes BLOB NOT NULL
) STRICT;

-- architecture: "sm_90" for machine code, "compute_75" for PTX. prelude: the #defines before the source, which hold types and
-- config of templates with macros; elsewhere `entry`, the name expression, holds them.
CREATE TABLE bundle_kernel (
  id INTEGER PRIMARY KEY,
  template_hash TEXT NOT NULL,
  entry TEXT NOT NULL,
  architecture TEXT NOT NULL,
  prelude TEXT NOT NULL,
  lowered_name TEXT NOT NULL,
  registers INTEGER NOT NULL,
  local_bytes INTEGER NOT NULL,
  static_shared_bytes INTEGER NOT NULL,
  max_threads_per_block INTEGER NOT NULL,
  image INTEGER NOT NULL REFERENCES bundle_image (id),
  UNIQUE (template_hash, entry, architecture, prelude)
) STRICT;

-- The cover: for each tuned problem and alignment class the config among the few kept that serves it best, and its loss there
-- (its time / the winner's - 1).
CREATE TABLE bundle_cover (
  id INTEGER PRIMARY KEY,
  problem INTEGER NOT NULL REFERENCES problem (id),
  alignment_bytes INTEGER NOT NULL,
  config TEXT NOT NULL,
  loss REAL NOT NULL,
  UNIQUE (problem, alignment_bytes)
) STRICT;

CREATE VIEW bundle_contents AS
SELECT t.kernel, k.entry, k.architecture, k.registers, length(i.bytes) AS image_bytes, i.hash
FROM bundle_kernel k
JOIN bundle_template t ON t.template_hash = k.template_hash
JOIN bundle_image i ON i.id = k.image
ORDER BY t.kernel, k.entry, k.architecture;
