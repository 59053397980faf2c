-- Schema version 3: times of other libraries say what of ours was timed in the same rounds, and how the two compare there. See ../SCHEMA.md.

ALTER TABLE reference_time ADD COLUMN beside_config TEXT;
ALTER TABLE reference_time ADD COLUMN beside_time_ns REAL;
ALTER TABLE reference_time ADD COLUMN beside_speedup REAL;

DROP VIEW library_times;
CREATE VIEW library_times AS
SELECT
  f.kernel,
  CASE WHEN json_valid(f.types)
    THEN (SELECT group_concat(key || '=' || value, ' ') FROM json_each(f.types)) ELSE f.types END AS types,
  CASE WHEN json_valid(f.dims)
    THEN (SELECT group_concat(key || '=' || value, ' ') FROM json_each(f.dims)) ELSE f.dims END AS dims,
  f.library, f.call, f.library_version,
  round(f.time_ns / 1e3, 3) AS time_us,
  round(f.beside_time_ns / 1e3, 3) AS ours_us,
  round(f.beside_speedup, 3) AS ours_speedup_x,
  f.samples, f.policy,
  d.model AS device,
  c.driver_name AS driver,
  datetime(f.at_unix_s, 'unixepoch') AS timed_utc
FROM reference_time f
JOIN device d ON d.id = f.device
JOIN toolchain c ON c.id = f.toolchain
ORDER BY f.kernel, f.types, f.id;
