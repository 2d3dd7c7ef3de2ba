//! Which servers run, which end, and which may not start: decided here, without a process and with the time as an
//! argument.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Two questions with the same key go to the same process.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    /// The server's name.
    pub(crate) server: String,
    /// Everything that it is started with and told, as one text.
    pub(crate) settings: String,
    /// The folder that it works on, without links.
    pub(crate) root: PathBuf,
}

/// How much may run.
#[derive(Debug, Clone, Copy)]
pub struct PoolLimits {
    /// So many servers.
    pub max_servers: usize,
    /// So much memory for all of them, in bytes.
    pub max_memory: u64,
}

#[derive(Debug)]
struct Entry {
    /// Questions that are being answered.
    busy: usize,
    /// When the last of them was done.
    used: Duration,
    idle: Duration,
    memory: u64,
}

/// A server that did not start.
#[derive(Debug)]
struct Failed {
    why: String,
    times: u32,
    until: Duration,
}

/// What to do about a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The server is there; it counts as busy from now on.
    Use,
    /// It is to be started, once these have ended; it counts as there and busy from now on.
    Start(Vec<Key>),
    /// It may not start, for this reason.
    Refuse(String),
}

/// All servers of a process.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    entries: BTreeMap<Key, Entry>,
    failed: BTreeMap<Key, Failed>,
}

/// How long a server that did not start is left alone: the first time, and at most.
const FIRST_PAUSE: Duration = Duration::from_secs(30);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);

impl Shelf {
    /// Says what to do about a question to a server. Each `Use` and `Start` is followed by a [`settled`](Self::settled).
    pub(crate) fn decide(&mut self, key: &Key, idle: Duration, limits: PoolLimits, now: Duration) -> Decision {
        if let Some(entry) = self.entries.get_mut(key) {
            entry.busy += 1;
            return Decision::Use;
        }
        if let Some(failed) = self.failed.get(key).filter(|failed| now < failed.until) {
            let left = (failed.until - now).as_secs() + 1;
            return Decision::Refuse(format!("{}; it is tried again in {left} s", failed.why));
        }
        let (mut count, mut memory) = (self.entries.len(), self.memory());
        let mut idle_ones: Vec<(&Key, &Entry)> = self.entries.iter().filter(|(_, entry)| entry.busy == 0).collect();
        idle_ones.sort_by_key(|(_, entry)| std::cmp::Reverse(entry.used));
        let mut evicted = Vec::new();
        while count >= limits.max_servers || memory > limits.max_memory {
            let Some((key, entry)) = idle_ones.pop() else {
                // Those that would have made room live on: nothing is ended for nothing.
                return Decision::Refuse(if count >= limits.max_servers {
                    format!("{count} servers are running and busy; `max_servers` is {}", limits.max_servers)
                } else {
                    let (taken, allowed) = (memory >> 20, limits.max_memory >> 20);
                    format!("the running servers take {taken} MiB; `max_memory_percent` allows {allowed} MiB")
                });
            };
            count -= 1;
            memory -= entry.memory;
            evicted.push(key.clone());
        }
        for key in &evicted {
            self.entries.remove(key);
        }
        self.entries.insert(key.clone(), Entry { busy: 1, used: now, idle, memory: 0 });
        Decision::Start(evicted)
    }

    fn memory(&self) -> u64 {
        self.entries.values().map(|entry| entry.memory).sum()
    }

    /// A question is done, whatever came of it. Its server is idle from now on, not from when it was asked.
    pub(crate) fn settled(&mut self, key: &Key, now: Duration) {
        if let Some(entry) = self.entries.get_mut(key) {
            entry.busy = entry.busy.saturating_sub(1);
            entry.used = now;
        }
    }

    /// A server takes so much memory.
    pub(crate) fn weighs(&mut self, key: &Key, memory: u64) {
        if let Some(entry) = self.entries.get_mut(key) {
            entry.memory = memory;
        }
    }

    /// A server did not start. It is left alone for a while, longer each time.
    pub(crate) fn failed(&mut self, key: &Key, why: String, now: Duration) {
        self.entries.remove(key);
        let times = self.failed.get(key).map_or(1, |failed| failed.times + 1);
        let pause = (FIRST_PAUSE * (1 << (times - 1).min(4))).min(LONGEST_PAUSE);
        self.failed.insert(key.clone(), Failed { why, times, until: now + pause });
    }

    /// A server started after all.
    pub(crate) fn started(&mut self, key: &Key) {
        self.failed.remove(key);
    }

    /// The servers that were idle for long enough; they are no longer there.
    pub(crate) fn sweep(&mut self, now: Duration) -> Vec<Key> {
        let idle = |entry: &Entry| entry.busy == 0 && now >= entry.used + entry.idle;
        let swept: Vec<Key> =
            self.entries.iter().filter(|(_, entry)| idle(entry)).map(|(key, _)| key.clone()).collect();
        for key in &swept {
            self.entries.remove(key);
        }
        swept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: PoolLimits = PoolLimits { max_servers: 2, max_memory: 100 << 20 };

    fn key(server: &str) -> Key {
        Key { server: server.into(), settings: String::new(), root: "/r".into() }
    }

    fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    #[test]
    fn one_process_a_key_and_the_longest_idle_makes_room() {
        let mut shelf = Shelf::default();
        let decide = |shelf: &mut Shelf, name, now| shelf.decide(&key(name), secs(10), LIMITS, secs(now));
        assert_eq!(decide(&mut shelf, "a", 0), Decision::Start(vec![]));
        assert_eq!(decide(&mut shelf, "a", 0), Decision::Use);
        assert_eq!(decide(&mut shelf, "b", 1), Decision::Start(vec![]));
        let Decision::Refuse(why) = decide(&mut shelf, "c", 2) else { panic!() };
        assert_eq!(why, "2 servers are running and busy; `max_servers` is 2");
        shelf.settled(&key("a"), secs(3));
        assert!(matches!(decide(&mut shelf, "c", 3), Decision::Refuse(_)), "one question is still there");
        shelf.settled(&key("a"), secs(4));
        shelf.settled(&key("b"), secs(5));
        assert_eq!(decide(&mut shelf, "c", 6), Decision::Start(vec![key("a")]));
    }

    #[test]
    fn memory_is_a_limit_too() {
        let mut shelf = Shelf::default();
        shelf.decide(&key("a"), secs(10), LIMITS, secs(0));
        shelf.weighs(&key("a"), 200 << 20);
        let Decision::Refuse(why) = shelf.decide(&key("b"), secs(10), LIMITS, secs(1)) else { panic!() };
        assert_eq!(why, "the running servers take 200 MiB; `max_memory_percent` allows 100 MiB");
        shelf.settled(&key("a"), secs(1));
        assert_eq!(shelf.decide(&key("b"), secs(10), LIMITS, secs(2)), Decision::Start(vec![key("a")]));
    }

    #[test]
    fn each_is_idle_by_its_own_time_and_never_while_it_works() {
        let mut shelf = Shelf::default();
        shelf.decide(&key("a"), secs(1), LIMITS, secs(0));
        shelf.decide(&key("b"), secs(60), LIMITS, secs(0));
        assert_eq!(shelf.sweep(secs(30)), []);
        shelf.settled(&key("a"), secs(30));
        shelf.settled(&key("b"), secs(30));
        assert_eq!(shelf.sweep(secs(30)), []);
        assert_eq!(shelf.sweep(secs(31)), [key("a")]);
        assert_eq!(shelf.sweep(secs(90)), [key("b")]);
    }

    #[test]
    fn what_did_not_start_is_tried_again_later_and_later() {
        let mut shelf = Shelf::default();
        let mut at = 0;
        for pause in [30, 60, 120, 240, 300, 300] {
            assert_eq!(shelf.decide(&key("a"), secs(1), LIMITS, secs(at)), Decision::Start(vec![]));
            shelf.failed(&key("a"), "it ended".into(), secs(at));
            let Decision::Refuse(why) = shelf.decide(&key("a"), secs(1), LIMITS, secs(at + pause - 1)) else {
                panic!()
            };
            assert_eq!(why, "it ended; it is tried again in 2 s");
            at += pause;
        }
        shelf.decide(&key("a"), secs(1), LIMITS, secs(at));
        shelf.started(&key("a"));
        shelf.failed(&key("a"), "it ended".into(), secs(at));
        assert_eq!(shelf.decide(&key("a"), secs(1), LIMITS, secs(at + 30)), Decision::Start(vec![]));
    }
}
