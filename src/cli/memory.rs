//! The available memory of the machine and the memory of the process.
//!
//! Linux reports them in files; on other systems a modest default is used, and
//! `--memory-limit` overrides it.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The default if the system reports nothing.
const FALLBACK: u64 = 2 << 30;

/// The free memory, less a margin for other processes.
pub fn free() -> u64 {
    let machine = read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| available(&text));
    let group = read_to_string("/proc/self/cgroup")
        .ok()
        .and_then(|text| left_in_groups(&text, Path::new("/sys/fs/cgroup")));
    let process = read_to_string("/proc/self/limits")
        .ok()
        .zip(read_to_string("/proc/self/status").ok())
        .and_then(|(limits, status)| left_of_process(&limits, &status));
    [machine, group, process]
        .into_iter()
        .flatten()
        .min()
        .map_or(FALLBACK, less_a_margin)
}

/// The resident memory of the process, without mapped files such as its code.
/// `None` if the system does not report it.
pub fn taken() -> Option<u64> {
    let status = read_to_string("/proc/self/status").ok()?;
    Some(kilobytes(&status, "RssAnon:")? + kilobytes(&status, "RssShmem:")?)
}

/// What is left of a memory limit beside what the process itself takes, measured before the
/// first plan: a process is never ended below `least`, whatever the limit.
pub fn room(limit: u64, least: u64) -> u64 {
    static OWN: OnceLock<u64> = OnceLock::new();
    let own = *OWN.get_or_init(|| taken().unwrap_or(0) + BESIDE);
    limit.min(limit.max(least).saturating_sub(own))
}

/// What a plan does not count: buffers of files and of visitors.
const BESIDE: u64 = 1 << 20;

/// The memory left by the limits of this process on address space and data
/// (`ulimit -v`, `ulimit -d`); `None` if neither is limited.
fn left_of_process(limits: &str, status: &str) -> Option<u64> {
    let left = |limit: &str, used: &str| {
        let line = limits.lines().find_map(|line| line.strip_prefix(limit))?;
        let soft: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some(soft.saturating_sub(kilobytes(status, used)?))
    };
    let space = left("Max address space", "VmSize:");
    let data = left("Max data size", "VmData:");
    space.into_iter().chain(data).min()
}

fn less_a_margin(free: u64) -> u64 {
    free / 10 * 8
}

/// The available memory by `/proc/meminfo`.
fn available(text: &str) -> Option<u64> {
    kilobytes(text, "MemAvailable:")
}

/// The bytes of a line such as `MemAvailable:  4096 kB`.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

/// The memory left by the control groups in `/proc/self/cgroup`; `None` if none
/// of them sets a limit.
fn left_in_groups(text: &str, root: &Path) -> Option<u64> {
    let mut least = None;
    for line in text.lines() {
        // A line is `number:controllers:path`.
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let (root, names): (PathBuf, [&str; 3]) = if controllers.is_empty() {
            (
                root.to_path_buf(),
                ["memory.max", "memory.current", "inactive_file"],
            )
        } else if controllers.split(',').any(|name| name == "memory") {
            (
                root.join("memory"),
                [
                    "memory.limit_in_bytes",
                    "memory.usage_in_bytes",
                    "total_inactive_file",
                ],
            )
        } else {
            continue;
        };
        // A group is held to the limits of those that it is in, too.
        for group in Path::new(path.trim_start_matches('/')).ancestors() {
            if let Some(left) = left_in(&root.join(group), names) {
                least = Some(least.map_or(left, |least: u64| least.min(left)));
            }
        }
    }
    least
}

/// The memory left by a control group: its limit less the memory in use, without
/// inactive file pages.
fn left_in(group: &Path, [limit, usage, idle]: [&str; 3]) -> Option<u64> {
    let number =
        |name: &str| -> Option<u64> { read_to_string(group.join(name)).ok()?.trim().parse().ok() };
    let limit = number(limit)?;
    // Version 1 groups report such a large number if there is no limit.
    if limit >= u64::MAX >> 2 {
        return None;
    }
    let idle = read_to_string(group.join("memory.stat"))
        .ok()
        .and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix(idle))?;
            line.trim().parse().ok()
        })
        .unwrap_or(0_u64);
    let used = number(usage).unwrap_or(0).saturating_sub(idle);
    Some(limit.saturating_sub(used))
}

#[cfg(test)]
mod tests {
    use super::{available, left_in_groups, left_of_process, taken};
    use std::fs;
    use std::path::PathBuf;

    #[test]
    fn the_machine_says_what_is_available() {
        let text = "MemTotal:       16384 kB\nMemAvailable:    4096 kB\n";
        assert_eq!(available(text), Some(4 << 20));
        assert_eq!(available("MemTotal: 1 kB\n"), None);
    }

    #[test]
    fn the_limits_of_the_process_count() {
        let limits = |space: &str, data: &str| {
            format!(
                "Limit                     Soft Limit           Hard Limit           Units\n\
                 Max data size             {data:<20} unlimited            bytes\n\
                 Max address space         {space:<20} unlimited            bytes\n"
            )
        };
        let status = "VmSize:\t    1024 kB\nVmData:\t     512 kB\n";
        let left = |space, data| left_of_process(&limits(space, data), status);
        assert_eq!(left("unlimited", "unlimited"), None);
        assert_eq!(left("4194304", "unlimited"), Some(3 << 20));
        assert_eq!(left("4194304", "1048576"), Some(1 << 19));
        assert_eq!(left("1000", "unlimited"), Some(0));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_written_is_taken() {
        let bytes = vec![1_u8; 64 << 20];
        let taken = taken().expect("Linux says it");
        assert!(taken >= 64 << 20, "{taken}");
        assert_eq!(bytes.iter().map(|b| u64::from(*b)).sum::<u64>(), 64 << 20);
    }

    /// A folder with files in it, made anew.
    fn groups(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let root = std::env::temp_dir().join(format!("nimrule-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("it is in a folder"))
                .expect("a folder can be made");
            fs::write(path, text).expect("it can be written");
        }
        root
    }

    #[test]
    fn the_narrowest_group_counts() {
        let root = groups(
            "groups",
            &[
                ("a/b/memory.max", "max\n"),
                ("a/memory.max", "1000\n"),
                ("a/memory.current", "700\n"),
                ("a/memory.stat", "anon 400\ninactive_file 200\n"),
                ("memory.max", "5000\n"),
            ],
        );
        assert_eq!(left_in_groups("0::/a/b\n", &root), Some(500));
        assert_eq!(left_in_groups("0::/\n", &root), Some(5000));
        assert_eq!(left_in_groups("0::/a/b/c\n", &root), Some(500));
        assert_eq!(left_in_groups("1:cpu,cpuacct:/a\n", &root), None);
        fs::remove_dir_all(root).expect("it is there");
    }

    #[test]
    fn the_older_kind_of_group_is_known() {
        let root = groups(
            "older",
            &[
                ("memory/x/memory.limit_in_bytes", "4096\n"),
                ("memory/x/memory.usage_in_bytes", "96\n"),
                ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ],
        );
        assert_eq!(left_in_groups("7:memory:/x\n0::/\n", &root), Some(4000));
        assert_eq!(left_in_groups("7:memory:/\n", &root), None);
        fs::remove_dir_all(root).expect("it is there");
    }
}
