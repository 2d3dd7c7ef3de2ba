use super::*;
use crate::query::testing;

const SHOP: &str = "
a.py
  function rate 1-2
  class Bill 4-9
    method total 5-9
b.py
  function bill 3-4
  function lone 6-7
a.Bill.total > a.rate: calls scope @6
b.bill > a.Bill: instantiates import @4
b.bill > a.Bill.total: calls receiver @4
b > a.Bill: imports import @1
b.lone ? save call @7
";

fn ask_within(graph: &str, sql: &str, limits: Limits) -> Result<Found, SqlError> {
    let left_out = vec![("big.py".to_owned(), "too_large")];
    query(&Arc::new(testing::graph(graph)), left_out, sql, limits, &Arc::default())
}

fn ask(sql: &str) -> Result<Found, SqlError> {
    ask_within(SHOP, sql, Limits::default())
}

/// The rows of an answer, their values with bars between.
#[track_caller]
fn rows(sql: &str) -> Vec<String> {
    let cell = |cell: &Cell| match cell {
        Cell::Null => "-".to_owned(),
        Cell::Integer(number) => number.to_string(),
        Cell::Real(number) => number.to_string(),
        Cell::Text(text) => text.clone(),
        Cell::Blob(blob) => format!("{blob:?}"),
    };
    let found = ask(sql).unwrap();
    found.rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join("|")).collect()
}

#[test]
fn the_tables_have_their_rows() {
    assert_eq!(
        rows(
            "SELECT name, qualified, kind, file, line, end_line, container, unresolved FROM symbols ORDER BY file, line, kind"
        ),
        [
            "rate|a.rate|function|a.py|1|2|a|0",
            "a|a|module|a.py|1|1000|-|0",
            "Bill|a.Bill|class|a.py|4|9|a|0",
            "total|a.Bill.total|method|a.py|5|9|a.Bill|0",
            "b|b|module|b.py|1|1000|-|0",
            "bill|b.bill|function|b.py|3|4|b|0",
            "lone|b.lone|function|b.py|6|7|b|1",
        ]
    );
    assert_eq!(
        rows("SELECT from_name, kind, to_name, evidence, file, line FROM edges WHERE kind <> 'contains'"),
        [
            "total|calls|rate|scope|a.py|6",
            "b|imports|Bill|import|b.py|1",
            "bill|instantiates|Bill|import|b.py|4",
            "bill|calls|total|receiver|b.py|4",
        ]
    );
    assert_eq!(rows("SELECT to_name FROM edges WHERE from_name = 'Bill'"), ["total"]);
    assert_eq!(
        rows("select from_qualified, to_qualified, to_file, to_line from references where to_name = 'total'"),
        ["b.bill|a.Bill.total|a.py|5"]
    );
    assert_eq!(rows("SELECT path, symbols, skipped FROM files"), ["a.py|4|-", "b.py|3|-", "big.py|-|too_large"]);
    let found = ask("SELECT 1 AS one, 2.5, NULL, 'x', x'00ff'").unwrap();
    assert_eq!(found.columns, ["one", "2.5", "NULL", "'x'", "x'00ff'"]);
    let cells = [Cell::Integer(1), Cell::Real(2.5), Cell::Null, Cell::Text("x".to_owned()), Cell::Blob(vec![0, 255])];
    assert_eq!(found.rows, [cells]);
}

/// Every way to the rows of one value gives what a walk over all rows gives.
#[test]
fn what_is_looked_up_is_what_a_walk_finds() {
    for table in TABLES {
        for (column, _) in table.columns {
            let name = format!("\"{}\"", table.name);
            let values = rows(&format!("SELECT DISTINCT hex({column}) FROM {name} WHERE {column} IS NOT NULL"));
            for value in values {
                let looked_up = rows(&format!("SELECT * FROM {name} WHERE {column} = CAST(x'{value}' AS TEXT)"));
                let walked = rows(&format!("SELECT * FROM {name} WHERE +{column} = CAST(x'{value}' AS TEXT)"));
                let sorted = |mut rows: Vec<String>| {
                    rows.sort();
                    rows
                };
                assert_eq!(sorted(looked_up), sorted(walked), "{} {column}", table.name);
            }
        }
    }
    assert_eq!(rows("SELECT name FROM symbols WHERE name = 'BILL' COLLATE NOCASE ORDER BY name"), ["Bill", "bill"]);
    assert_eq!(rows("SELECT name FROM symbols WHERE name = 1 OR id = x'00'"), [""; 0]);
    assert_eq!(
        rows("SELECT name FROM symbols WHERE name = 'rate' OR file = 'a.py' AND line = 1 ORDER BY 1"),
        ["a", "rate"]
    );
    assert_eq!(rows("SELECT name FROM symbols WHERE name IN ('rate', 'lone') ORDER BY 1"), ["lone", "rate"]);
    let both = "SELECT from_name FROM edges WHERE to_name = 'total' OR from_name = 'bill' ORDER BY 1";
    assert_eq!(rows(both), ["Bill", "bill", "bill"]);
}

#[test]
fn joins_look_up_instead_of_walking() {
    // Functions that call each other in a row.
    let graph = |count: usize| {
        let functions = (1..=count).map(|number| format!("  function f{number} {number}-{number}\n"));
        let calls = (2..=count).map(|number| format!("a.f{number} > a.f{}: calls scope @{number}\n", number - 1));
        format!("a.py\n{}{}", functions.collect::<String>(), calls.collect::<String>())
    };
    let (large, small) = (graph(1000), graph(100));
    let visited = |graph: &str, sql: &str| {
        let found = ask_within(graph, sql, Limits::default()).unwrap();
        (found.rows[0][0].clone(), found.visited)
    };
    let count = |count: i64| Cell::Integer(count);
    for (sql, wanted) in [
        ("SELECT count(*) FROM symbols a JOIN edges e ON e.from_id = a.id WHERE e.kind = 'calls'", 999),
        ("SELECT count(*) FROM edges e JOIN symbols s ON s.id = e.to_id WHERE e.kind = 'calls'", 999),
        ("SELECT count(*) FROM edges e JOIN symbols s ON s.name = e.to_name WHERE e.kind = 'calls'", 999),
        ("SELECT count(*) FROM references x JOIN references y ON y.from_id = x.to_id", 998),
        ("SELECT count(*) FROM symbols a JOIN symbols b ON b.id = a.container_id", 1000),
        ("SELECT count(*) FROM files f JOIN symbols s ON s.file = f.path", 1001),
    ] {
        let (found, visited) = visited(&large, sql);
        assert_eq!(found, count(wanted), "{sql}");
        assert!(visited < 20_000, "{visited} rows for {sql}");
    }
    // The measure sees what it should: without a way to look up, everything is walked through for each row.
    let (_, visited) = visited(&small, "SELECT count(*) FROM edges e JOIN symbols s ON +s.id = +e.to_id");
    assert!(visited > 10_000, "{visited}");
}

#[test]
fn whatever_does_not_read_is_refused() {
    for sql in [
        "INSERT INTO symbols (name) VALUES ('x')",
        "UPDATE symbols SET name = 'x'",
        "DELETE FROM edges",
        "CREATE TABLE t (a)",
        "CREATE TEMP TABLE t AS SELECT * FROM symbols",
        "CREATE VIEW v AS SELECT 1",
        "CREATE TRIGGER t AFTER INSERT ON symbols BEGIN SELECT 1; END",
        "CREATE VIRTUAL TABLE t USING symbols",
        "DROP TABLE symbols",
        "ALTER TABLE symbols RENAME TO t",
        "ATTACH 'x.db' AS x",
        "DETACH main",
        "PRAGMA user_version",
        "PRAGMA journal_mode = WAL",
        "SELECT * FROM pragma_database_list",
        "SELECT load_extension('x')",
        "VACUUM",
        "VACUUM INTO 'x.db'",
        "ANALYZE",
        "REINDEX",
        "BEGIN",
        "COMMIT",
        "SAVEPOINT x",
        "WITH x AS (SELECT 1) DELETE FROM symbols",
        "EXPLAIN CREATE TABLE t (a)",
    ] {
        let answer = ask(sql);
        assert!(matches!(answer, Err(SqlError::Refused(_))), "{sql}: {answer:?}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let bad = |sql: &str| ask(sql).unwrap_err();
    assert_eq!(bad("SELECT * FROM symbol"), SqlError::Unknown("no such table: symbol".to_owned()));
    assert_eq!(bad("SELECT nam FROM symbols"), SqlError::Unknown("no such column: nam".to_owned()));
    assert_eq!(bad("SELEKT 1"), SqlError::Bad("near \"SELEKT\": syntax error".to_owned()));
    assert_eq!(bad(" -- nothing"), SqlError::Bad("there is no statement".to_owned()));
    assert_eq!(bad("SELECT 1; SELECT 2"), SqlError::Bad("there is more than one statement".to_owned()));
    assert!(matches!(bad("SELECT zeroblob(100000000)"), SqlError::Bad(_)));
    assert_eq!(ask("SELECT 1;  -- that is all").unwrap().rows.len(), 1);
}

#[test]
fn what_never_ends_is_ended() {
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";
    let steps = Limits { steps: 100_000, ..Limits::default() };
    assert_eq!(ask_within(SHOP, endless, steps), Err(SqlError::TooLong));
    let crossed = "SELECT count(*) FROM symbols a, symbols b, symbols c, symbols d, symbols e, symbols f, symbols g";
    assert_eq!(ask_within(SHOP, crossed, steps), Err(SqlError::TooLong));
    assert_eq!(ask_within(SHOP, "SELECT 1", steps).unwrap().rows.len(), 1);
    let graph = Arc::new(testing::graph(SHOP));
    let cancelled = Arc::new(AtomicBool::new(true));
    assert_eq!(query(&graph, Vec::new(), endless, Limits::default(), &cancelled), Err(SqlError::Cancelled));
}

#[test]
fn rows_are_cut() {
    let two = Limits { rows: 2, ..Limits::default() };
    let found = ask_within(SHOP, "SELECT name FROM symbols", two).unwrap();
    assert_eq!((found.rows.len(), found.truncated), (2, true));
    let found = ask_within(SHOP, "SELECT name FROM symbols LIMIT 2", two).unwrap();
    assert_eq!((found.rows.len(), found.truncated), (2, false));
}

#[test]
fn the_table_that_is_a_word_gets_its_quotes() {
    for (given, wanted) in [
        ("select * from References", "select * from \"references\""),
        ("select 'references', \"references\", my_references", "select 'references', \"references\", my_references"),
        ("-- references\nselect /* references */ 1", "-- references\nselect /* references */ 1"),
        ("select 'it''s references' from références", "select 'it''s references' from références"),
        ("select '", "select '"),
    ] {
        assert_eq!(with_references_quoted(given), wanted);
    }
}
