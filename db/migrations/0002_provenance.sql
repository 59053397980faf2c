-- Schema version 2: runs that are known again in other files, what a template hash was made of, clocks, who certified, results
-- imported from other tuners, and times of other libraries. See ../SCHEMA.md.

CREATE TABLE run_v2 (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  problem INTEGER NOT NULL REFERENCES problem (id),
  toolchain INTEGER NOT NULL REFERENCES toolchain (id),
  origin TEXT NOT NULL CHECK (origin IN ('measured', 'replayed', 'imported')),
  strategy TEXT NOT NULL,
  seed INTEGER NOT NULL,
  command TEXT NOT NULL,
  started_unix_s INTEGER NOT NULL,
  ended_unix_s INTEGER,
  complete INTEGER NOT NULL DEFAULT 0 CHECK (complete IN (0, 1)),
  space_size INTEGER,
  wall_s REAL,
  gpu_s REAL,
  phase_s TEXT,
  clocks TEXT
) STRICT;
-- The uid of a run of version 1 is made of what tells it from others; run_rows.cpp has the same expression.
INSERT INTO run_v2 (id, uid, problem, toolchain, origin, strategy, seed, command, started_unix_s, ended_unix_s, complete, space_size,
                    wall_s, gpu_s, phase_s)
SELECT r.id, printf('v1-%d-%d-%d-%s-%!.17g', r.id, r.started_unix_s, r.seed, r.origin, ifnull(r.wall_s, 0)), r.problem, r.toolchain,
       r.origin, r.strategy, r.seed, r.command, r.started_unix_s, r.ended_unix_s, r.complete, r.space_size, r.wall_s, r.gpu_s, r.phase_s
FROM run r;
-- The views of version 1 name `run`; they are not looked at while it is away.
PRAGMA legacy_alter_table = ON;
DROP TABLE run;
ALTER TABLE run_v2 RENAME TO run;
PRAGMA legacy_alter_table = OFF;
CREATE INDEX run_by_problem ON run (problem);

ALTER TABLE winner ADD COLUMN certified_by TEXT NOT NULL DEFAULT '';
UPDATE winner SET certified_by = 'race' WHERE certified = 1;

-- What a template hash was made of: its files and the parts of its manifest.
CREATE TABLE template_part (
  id INTEGER PRIMARY KEY,
  template_hash TEXT NOT NULL,
  part TEXT NOT NULL,
  hash TEXT NOT NULL,
  UNIQUE (template_hash, part)
) STRICT;

-- Times of other libraries for the same problems. They do not depend on the template.
CREATE TABLE reference_time (
  id INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL,
  types TEXT NOT NULL,
  dims TEXT NOT NULL,
  attributes TEXT NOT NULL,
  device INTEGER NOT NULL REFERENCES device (id),
  policy TEXT NOT NULL,
  library TEXT NOT NULL,
  call TEXT NOT NULL,
  library_version TEXT NOT NULL,
  toolchain INTEGER NOT NULL REFERENCES toolchain (id),
  time_ns REAL NOT NULL,
  interval_low_ns REAL,
  interval_high_ns REAL,
  samples INTEGER NOT NULL,
  at_unix_s INTEGER NOT NULL,
  UNIQUE (kernel, types, dims, attributes, device, policy, library, call, library_version, toolchain, at_unix_s)
) STRICT;

CREATE VIEW library_times AS
SELECT
  f.kernel,
  CASE WHEN json_valid(f.types)
    THEN (SELECT group_concat(key || '=' || value, ' ') FROM json_each(f.types)) ELSE f.types END AS types,
  CASE WHEN json_valid(f.dims)
    THEN (SELECT group_concat(key || '=' || value, ' ') FROM json_each(f.dims)) ELSE f.dims END AS dims,
  f.library, f.call, f.library_version,
  round(f.time_ns / 1e3, 3) AS time_us,
  f.samples, f.policy,
  d.model AS device,
  c.driver_name AS driver,
  datetime(f.at_unix_s, 'unixepoch') AS timed_utc
FROM reference_time f
JOIN device d ON d.id = f.device
JOIN toolchain c ON c.id = f.toolchain
ORDER BY f.kernel, f.types, f.id;
