"""Everything in a PostgreSQL schema that decides what its tables hold, one line each, to be compared."""

from collections.abc import Iterator, Sequence

from punto.floor.database.base import Transaction

_COLUMNS = """
SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid),
  CASE a.attidentity WHEN '' THEN '' WHEN 'd' THEN ' identity' ELSE ' identity always' END
  || CASE a.attgenerated WHEN '' THEN '' ELSE ' generated' END
  || CASE WHEN a.attcollation = t.typcollation THEN '' ELSE ' with a collation' END
FROM pg_class AS c
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type AS t ON t.oid = a.atttypid
LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind = 'r'
"""
_INDEXES = """
SELECT c.relname,
  ARRAY(SELECT pg_get_indexdef(i.indexrelid, k, true) FROM generate_series(1, i.indnatts) AS k ORDER BY k),
  i.indisunique, pg_get_expr(i.indpred, i.indrelid),
  CASE WHEN i.indisvalid AND i.indisready AND i.indislive AND i.indimmediate THEN '' ELSE ' that is not enforced' END
FROM pg_class AS c JOIN pg_index AS i ON i.indrelid = c.oid
WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind = 'r'
"""
_FOREIGN_KEYS = """
SELECT c.relname, a.attname, f.relname, b.attname,
  CASE WHEN k.convalidated AND NOT k.condeferrable AND k.confupdtype = 'a' AND k.confdeltype = 'a'
    AND cardinality(k.conkey) = 1 THEN '' ELSE ' of another kind' END
FROM pg_class AS c
JOIN pg_constraint AS k ON k.conrelid = c.oid AND k.contype = 'f'
JOIN pg_class AS f ON f.oid = k.confrelid
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
JOIN pg_attribute AS b ON b.attrelid = f.oid AND b.attnum = k.confkey[1]
WHERE c.relnamespace = quote_ident(current_schema())::regnamespace
"""
_OTHERS = """
WITH ours AS (SELECT * FROM pg_class WHERE relnamespace = quote_ident(current_schema())::regnamespace)
SELECT CASE relkind WHEN 'r' THEN 'the table ' ELSE 'the relation ' END || relname
  FROM ours WHERE relkind NOT IN ('i', 'S', 't', 'c')
UNION ALL SELECT 'the table ' || relname || ' without a log' FROM ours WHERE relkind = 'r' AND relpersistence <> 'p'
UNION ALL SELECT 'row security on ' || relname FROM ours WHERE relrowsecurity
UNION ALL SELECT 'the trigger ' || g.tgname || ' on ' || c.relname
  FROM ours AS c JOIN pg_trigger AS g ON g.tgrelid = c.oid WHERE NOT g.tgisinternal
UNION ALL SELECT 'a foreign key on ' || c.relname || ' that is switched off'
  FROM ours AS c JOIN pg_trigger AS g ON g.tgrelid = c.oid WHERE g.tgisinternal AND g.tgenabled <> 'O'
UNION ALL SELECT 'the rule ' || r.rulename || ' on ' || c.relname
  FROM ours AS c JOIN pg_rewrite AS r ON r.ev_class = c.oid WHERE c.relkind = 'r'
UNION ALL SELECT 'the constraint ' || k.conname || ' on ' || c.relname
  FROM ours AS c JOIN pg_constraint AS k ON k.conrelid = c.oid WHERE k.contype IN ('c', 'x', 't')
UNION ALL SELECT 'a table that inherits from ' || c.relname
  FROM ours AS c JOIN pg_inherits AS h ON h.inhparent = c.oid WHERE c.relkind = 'r'
"""


def postgres_parts(transaction: Transaction) -> Iterator[str]:
    for table, name, kind, required, default, more in transaction.rows(_COLUMNS):
        value = None if default is None else default.partition("::")[0]
        yield column(table, name, kind, required=required, default=value) + more
    for table, columns, unique, where, more in transaction.rows(_INDEXES):
        condition = (where or "").removeprefix("(").removesuffix(")").removesuffix("::text")  # as it writes a text
        yield index(table, columns, unique=unique, where=condition) + more
    for table, name, other, target, more in transaction.rows(_FOREIGN_KEYS):
        yield foreign_key(table, name, other, target) + more
    yield from (str(words) for (words,) in transaction.rows(_OTHERS))


def column(table: str, name: str, kind: str, *, required: bool, default: str | None) -> str:
    null = " not null" if required else ""
    return f"the column {table}.{name} {kind}{null}{'' if default is None else f' default {default}'}"


def index(table: str, columns: Sequence[str], *, unique: bool, where: str = "") -> str:
    kind = "unique index" if unique else "index"
    return f"the {kind} on {table} ({', '.join(columns)}){f' where {where}' if where else ''}"


def foreign_key(table: str, name: str, other: str, target: str) -> str:
    return f"the foreign key {table}.{name} to {other}.{target}"
