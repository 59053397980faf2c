-- Schema version 4: the view of winners says at which clock the card ran, and how many rounds of the race something disturbed. See ../SCHEMA.md.

DROP VIEW best;
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
  CASE WHEN json_valid(r.clocks) THEN round(json_extract(r.clocks, '$.sm_mhz_median')) END AS sm_mhz,
  CASE WHEN json_valid(r.clocks)
    THEN round(100.0 * (json_extract(r.clocks, '$.sm_mhz_highest') - json_extract(r.clocks, '$.sm_mhz_lowest'))
               / json_extract(r.clocks, '$.sm_mhz_median'), 2) END AS sm_mhz_spread_percent,
  CASE WHEN json_valid(r.clocks) THEN json_extract(r.clocks, '$.disturbed_rounds') END AS disturbed_rounds,
  w.run
FROM winner w
JOIN problem_text t ON t.problem = w.problem
JOIN run r ON r.id = w.run
JOIN toolchain c ON c.id = r.toolchain
WHERE w.current = 1
ORDER BY t.kernel, t.types, w.problem, w.alignment_bytes;
