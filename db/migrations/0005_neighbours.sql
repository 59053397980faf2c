-- Schema version 5: how long the configs of a run take at problems near the tuned one. See ../SCHEMA.md.

-- Times of one run at equal dims were taken in the same rounds, and compare with each other only.
CREATE TABLE neighbour (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run (id),
  dims TEXT NOT NULL,
  config TEXT NOT NULL,
  time_ns REAL NOT NULL,
  samples INTEGER NOT NULL,
  UNIQUE (run, dims, config)
) STRICT;

CREATE VIEW neighbours AS
SELECT
  t.kernel, t.types, t.dims AS tuned_dims,
  CASE WHEN json_valid(n.dims)
    THEN (SELECT group_concat(key || '=' || value, ' ') FROM json_each(n.dims)) ELSE n.dims END AS dims,
  CASE WHEN json_valid(n.config)
    THEN (SELECT group_concat(key || '=' || value, ' ') FROM json_each(n.config)) ELSE n.config END AS config,
  round(n.time_ns / 1e3, 3) AS time_us,
  round(100 * (n.time_ns / min(n.time_ns) OVER (PARTITION BY n.run, n.dims) - 1), 2) AS loss_percent,
  n.samples, t.policy, t.device, n.run
FROM neighbour n
JOIN run r ON r.id = n.run
JOIN problem_text t ON t.problem = r.problem
ORDER BY n.run, n.dims, n.time_ns;
