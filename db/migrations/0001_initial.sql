-- Schema version 1. Released migrations never change; a change is a new file with the next number. See ../SCHEMA.md.

CREATE TABLE device (
  id INTEGER PRIMARY KEY,
  model TEXT NOT NULL,
  compute_capability INTEGER NOT NULL,
  sm_count INTEGER NOT NULL,
  l2_bytes INTEGER NOT NULL,
  memory_gib INTEGER NOT NULL,
  UNIQUE (model, compute_capability, sm_count, l2_bytes, memory_gib)
) STRICT;

CREATE TABLE problem (
  id INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL,
  template_hash TEXT NOT NULL,
  types TEXT NOT NULL,
  key_dims TEXT NOT NULL,
  free_dims TEXT NOT NULL,
  attributes TEXT NOT NULL,
  numerics TEXT NOT NULL,
  device INTEGER NOT NULL REFERENCES device (id),
  policy TEXT NOT NULL,
  UNIQUE (kernel, free_dims, types, key_dims, attributes, numerics, device, policy, template_hash)
) STRICT;

CREATE TABLE toolchain (
  id INTEGER PRIMARY KEY,
  driver_version INTEGER NOT NULL,
  driver_name TEXT NOT NULL,
  nvrtc_version TEXT NOT NULL,
  headers_hash TEXT NOT NULL,
  warptune_version TEXT NOT NULL,
  UNIQUE (driver_version, driver_name, nvrtc_version, headers_hash, warptune_version)
) STRICT;

-- The columns from ended_unix_s on are set when the run ends; a run that was killed keeps them NULL.
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  problem INTEGER NOT NULL REFERENCES problem (id),
  toolchain INTEGER NOT NULL REFERENCES toolchain (id),
  origin TEXT NOT NULL CHECK (origin IN ('measured', 'replayed')),
  strategy TEXT NOT NULL,
  seed INTEGER NOT NULL,
  command TEXT NOT NULL,
  started_unix_s INTEGER NOT NULL,
  ended_unix_s INTEGER,
  complete INTEGER NOT NULL DEFAULT 0 CHECK (complete IN (0, 1)),
  space_size INTEGER,
  wall_s REAL,
  gpu_s REAL,
  phase_s TEXT
) STRICT;
CREATE INDEX run_by_problem ON run (problem);

-- blocks_ns: little-endian float32, one per timed block, in time order.
CREATE TABLE outcome (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run (id),
  config TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL,
  time_ns REAL,
  blocks_ns BLOB NOT NULL,
  max_error REAL,
  verified_ragged INTEGER NOT NULL CHECK (verified_ragged IN (0, 1)),
  registers INTEGER NOT NULL,
  local_bytes INTEGER NOT NULL,
  shared_bytes INTEGER NOT NULL,
  alignment_bytes INTEGER NOT NULL,
  at_unix_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX outcome_by_run ON outcome (run);

-- Every winner of every run; current = 1 marks the one that readers get for its problem and alignment class.
CREATE TABLE winner (
  id INTEGER PRIMARY KEY,
  problem INTEGER NOT NULL REFERENCES problem (id),
  run INTEGER NOT NULL REFERENCES run (id),
  current INTEGER NOT NULL CHECK (current IN (0, 1)),
  alignment_bytes INTEGER NOT NULL,
  config TEXT NOT NULL,
  time_ns REAL NOT NULL,
  default_time_ns REAL,
  default_config TEXT NOT NULL,
  certified INTEGER NOT NULL CHECK (certified IN (0, 1)),
  complete INTEGER NOT NULL CHECK (complete IN (0, 1)),
  interval_low_ns REAL,
  interval_high_ns REAL,
  samples INTEGER NOT NULL,
  tied INTEGER NOT NULL,
  verified_ragged INTEGER NOT NULL CHECK (verified_ragged IN (0, 1)),
  bytes REAL,
  flops REAL,
  limit_bytes_per_s REAL,
  at_unix_s INTEGER NOT NULL,
  UNIQUE (run, alignment_bytes)
) STRICT;
CREATE INDEX winner_by_problem ON winner (problem, alignment_bytes);
CREATE UNIQUE INDEX winner_current ON winner (problem, alignment_bytes) WHERE current = 1;

CREATE TABLE calibration (
  id INTEGER PRIMARY KEY,
  device INTEGER NOT NULL REFERENCES device (id),
  figures TEXT NOT NULL,
  at_unix_s INTEGER NOT NULL
) STRICT;
CREATE INDEX calibration_by_device ON calibration (device);

-- For people. A JSON text that cannot be read is shown as it is.
CREATE VIEW problem_text AS
SELECT
  p.id AS problem,
  p.kernel AS kernel,
  CASE WHEN json_valid(p.types)
    THEN (SELECT group_concat(key || '=' || value, ' ') FROM json_each(p.types)) ELSE p.types END AS types,
  CASE WHEN json_valid(p.key_dims) AND json_valid(p.free_dims)
    THEN (SELECT group_concat(key || '=' || value, ' ')
          FROM (SELECT key, value FROM json_each(p.key_dims)
                UNION ALL SELECT key, value FROM json_each(p.free_dims)))
    ELSE p.key_dims || ' ' || p.free_dims END AS dims,
  CASE WHEN json_valid(p.attributes)
    THEN (SELECT group_concat(key || '=' || value, ' ') FROM json_each(p.attributes))
    ELSE p.attributes END AS attributes,
  p.numerics AS numerics,
  p.policy AS policy,
  d.model AS device,
  p.template_hash AS template_hash
FROM problem p JOIN device d ON d.id = p.device;

CREATE VIEW best AS
SELECT
  t.kernel, t.types, t.dims,
  w.alignment_bytes,
  CASE WHEN json_valid(w.config)
    THEN (SELECT group_concat(key || '=' || value, ' ') FROM json_each(w.config)) ELSE w.config END AS config,
  round(w.time_ns / 1e3, 3) AS time_us,
  round(w.default_time_ns / 1e3, 3) AS default_us,
  round(w.default_time_ns / w.time_ns, 2) AS gain_x,
  round(w.bytes / w.time_ns, 1) AS gbytes_per_s,
  round(w.flops / w.time_ns, 1) AS gflops_per_s,
  round(100e9 * w.bytes / w.time_ns / w.limit_bytes_per_s, 1) AS percent_of_limit,
  CASE w.certified WHEN 1 THEN 'yes' ELSE 'no' END AS certified,
  CASE w.complete WHEN 1 THEN 'yes' ELSE 'no' END AS complete,
  w.tied,
  r.origin,
  t.attributes, t.numerics, t.policy, t.device,
  c.driver_name AS driver, c.nvrtc_version AS nvrtc,
  datetime(w.at_unix_s, 'unixepoch') AS tuned_utc,
  w.run
FROM winner w
JOIN problem_text t ON t.problem = w.problem
JOIN run r ON r.id = w.run
JOIN toolchain c ON c.id = r.toolchain
WHERE w.current = 1
ORDER BY t.kernel, t.types, w.problem, w.alignment_bytes;

CREATE VIEW failures AS
SELECT
  t.kernel, t.types, t.dims,
  o.status,
  CASE WHEN json_valid(o.config)
    THEN (SELECT group_concat(key || '=' || value, ' ') FROM json_each(o.config)) ELSE o.config END AS config,
  o.reason,
  o.max_error,
  r.origin,
  t.device,
  datetime(o.at_unix_ms / 1000, 'unixepoch') AS tried_utc,
  o.run
FROM outcome o
JOIN run r ON r.id = o.run
JOIN problem_text t ON t.problem = r.problem
WHERE o.status NOT IN ('ok', 'excluded')
ORDER BY o.id;
