//! The job object on Windows: this process and all that it starts are in it, and when the last handle to it is closed
//! they end. Only this process has a handle, so the system closes it however this process ends.

use super::Reach;
use std::process::Command;
use std::sync::OnceLock;
use win32job::{ExtendedLimitInfo, Job};

/// Children are in the job of their parent.
pub(super) fn own_group(_command: &mut Command) {}

/// Puts this process into a job of its own. Where that is not allowed, children are as alone as ever.
pub(super) fn prepare() {
    static JOB: OnceLock<Option<Job>> = OnceLock::new();
    JOB.get_or_init(|| {
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = Job::create_with_limit_info(&limits).ok()?;
        job.assign_current_process().ok()?;
        Some(job)
    });
}

pub(super) fn watch(_id: u32, _reach: Reach) {}

pub(super) fn forget(_id: u32, _reach: Reach) {}

pub(super) fn end(_id: u32, _reach: Reach) {}
