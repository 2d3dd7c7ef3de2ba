//! Places for the nodes of a view: columns from left to right, in each the order with few crossings.

use std::collections::BTreeMap;

use super::View;

/// Width of a node.
pub(super) const WIDTH: i32 = 196;
/// Height of a node.
pub(super) const HEIGHT: i32 = 40;
/// Between nodes, one above the other.
const ROW_GAP: i32 = 12;
/// Between columns, in which most edges run.
const COLUMN_GAP: i32 = 110;
/// Between the parts of a column that is too long to be one.
const PART_GAP: i32 = 26;
/// Around everything.
pub(super) const MARGIN: i32 = 28;
/// A column of more nodes than this is put into several side by side; a long one into longer ones, so that what is large
/// grows both ways.
const MAX_ROWS: usize = 26;
/// Room for edges within the last column.
const LOOPS: i32 = 48;
/// How often the order of the columns is improved.
const SWEEPS: usize = 6;

/// Where nodes are, in pixels.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    /// The upper left corner of each node.
    pub(super) places: Vec<(i32, i32)>,
    /// The middle of each column that has something left out, and the lower end of its nodes.
    pub(super) ends: BTreeMap<i32, (i32, i32)>,
    /// Of everything.
    pub(super) size: (i32, i32),
}

impl Layout {
    /// The places of a view's nodes.
    pub fn of(view: &View) -> Self {
        let columns = ordered(view);
        let rows = |nodes: &[usize]| {
            let parts = nodes.len().div_ceil(MAX_ROWS + nodes.len() / 12);
            nodes.len().div_ceil(parts.max(1)).max(1)
        };
        let tallest = columns.values().map(|nodes| rows(nodes)).max().unwrap_or(1);
        let height = extent(tallest);
        let mut places = vec![(0, 0); view.nodes.len()];
        let mut ends = BTreeMap::new();
        let mut x = MARGIN;
        for (column, nodes) in &columns {
            let rows = rows(nodes);
            let parts = nodes.chunks(rows);
            let (start, count) = (x, number(parts.len()));
            let mut lowest = 0;
            for (part, nodes) in (0..).zip(parts) {
                let top = MARGIN + (height - extent(nodes.len())) / 2;
                for (row, node) in (0..).zip(nodes) {
                    places[*node] = (start + part * (WIDTH + PART_GAP), top + row * (HEIGHT + ROW_GAP));
                }
                lowest = lowest.max(top + extent(nodes.len()));
            }
            let wide = count * (WIDTH + PART_GAP) - PART_GAP;
            if view.left_out.contains_key(column) {
                ends.insert(*column, (start + wide / 2, lowest));
            }
            x += wide + COLUMN_GAP;
        }
        let below = if ends.is_empty() { 0 } else { HEIGHT };
        Self { places, ends, size: (x - COLUMN_GAP + LOOPS + MARGIN, height + 2 * MARGIN + below) }
    }
}

fn number(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

/// The height of so many nodes.
fn extent(rows: usize) -> i32 {
    number(rows) * (HEIGHT + ROW_GAP) - ROW_GAP
}

/// The nodes of each column, from the top: each as near as can be to the middle of those it is joined to.
fn ordered(view: &View) -> BTreeMap<i32, Vec<usize>> {
    let mut columns: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
    for (at, node) in view.nodes.iter().enumerate() {
        columns.entry(node.column).or_default().push(at);
    }
    let mut joined: Vec<Vec<usize>> = vec![Vec::new(); view.nodes.len()];
    for line in view.edges.iter().filter(|line| line.from != line.to) {
        joined[line.from].push(line.to);
        joined[line.to].push(line.from);
    }
    // Positions are thousandths of a column, whatever its length, so that whole numbers do.
    let mut position = vec![500_i64; view.nodes.len()];
    let place = |nodes: &[usize], position: &mut [i64]| {
        for (row, node) in (0_i64..).zip(nodes) {
            position[*node] = (2 * row + 1) * 500_000 / i64::from(number(nodes.len()));
        }
    };
    columns.values().for_each(|nodes| place(nodes, &mut position));
    let mut order: Vec<i32> = columns.keys().copied().collect();
    order.sort_by_key(|column| (column.abs(), *column));
    for sweep in 0..SWEEPS {
        // From the middle outwards, then back.
        let turns: Vec<i32> = if sweep % 2 == 0 { order.clone() } else { order.iter().rev().copied().collect() };
        for column in turns {
            let Some(nodes) = columns.get_mut(&column) else { continue };
            let wanted = |node: &usize| {
                let near = joined[*node].iter().filter(|other| view.nodes[**other].column != column);
                let near: Vec<i64> = near.map(|other| position[*other]).collect();
                match near.len() {
                    0 => position[*node],
                    count => near.iter().sum::<i64>() / i64::from(number(count)),
                }
            };
            let mut wished: Vec<(i64, usize)> = nodes.iter().map(|node| (wanted(node), *node)).collect();
            wished.sort_unstable();
            *nodes = wished.into_iter().map(|(_, node)| node).collect();
            place(nodes, &mut position);
        }
    }
    columns
}
