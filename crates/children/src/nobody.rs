//! Systems on which nobody looks after children: they have their own limits only.

use super::Reach;
use std::process::Command;

pub(super) fn own_group(_command: &mut Command) {}

pub(super) fn prepare() {}

pub(super) fn watch(_id: u32, _reach: Reach) {}

pub(super) fn forget(_id: u32, _reach: Reach) {}

pub(super) fn end(_id: u32, _reach: Reach) {}
