//! Adds planes of f32 to others.

use super::lanes::{Fused, Lanes, Portable};

/// Rows of `count` values with a stride.
#[derive(Clone, Copy)]
pub(crate) struct Plane {
    pub(crate) lines: usize,
    pub(crate) columns: usize,
    /// The row stride of the target.
    pub(crate) target_line: usize,
    /// The row stride of the addends.
    pub(crate) addends_line: usize,
}

impl Plane {
    /// The offset of the last value for a row stride; `None` if the plane is empty.
    pub(crate) fn last(&self, line: usize) -> Option<usize> {
        Some(self.lines.checked_sub(1)? * line + self.columns.checked_sub(1)?)
    }
}

/// Adds each value to the target's at the same coordinates. Both buffers contain the plane.
pub(crate) type AddPlane = unsafe fn(target: *mut f32, addends: *const f32, plane: &Plane);

/// The sum of planes, to be compiled within a function that enables the machine's instructions. No access is masked: a
/// load of the next row would wait for masked stores that might alias it.
///
/// # Safety
/// Both buffers contain the plane, and the processor has the instructions of the lanes.
#[inline(always)]
pub(super) unsafe fn add<L: Fused<Element = f32>>(target: *mut f32, addends: *const f32, plane: &Plane) {
    let wide = plane.columns / L::WIDTH * L::WIDTH;
    let narrow = plane.columns / Portable::<f32>::WIDTH * Portable::<f32>::WIDTH;
    // SAFETY: all offsets are inside the plane.
    unsafe {
        for line in 0..plane.lines {
            let (target, addends) = (target.add(line * plane.target_line), addends.add(line * plane.addends_line));
            for at in (0..wide).step_by(L::WIDTH) {
                add_register::<L>(target.add(at), addends.add(at));
            }
            for at in (wide..narrow).step_by(Portable::<f32>::WIDTH) {
                add_register::<Portable<f32>>(target.add(at), addends.add(at));
            }
            for at in narrow..plane.columns {
                *target.add(at) += *addends.add(at);
            }
        }
    }
}

#[inline(always)]
unsafe fn add_register<L: Fused<Element = f32>>(target: *mut f32, addends: *const f32) {
    // SAFETY: promised by the caller.
    unsafe { L::load(target).multiply_add(L::broadcast(1.0), L::load(addends)).store(target) }
}

/// The portable instance.
///
/// # Safety
/// Both buffers contain the plane.
pub(super) unsafe fn portable(target: *mut f32, addends: *const f32, plane: &Plane) {
    // SAFETY: promised by the caller.
    unsafe { add::<Portable<f32>>(target, addends, plane) }
}

#[cfg(test)]
mod tests {
    use super::{AddPlane, Plane};
    use crate::kernels::levels::Instances;
    use crate::samples::sampled;

    #[test]
    fn lines_of_any_length() {
        for columns in sampled(0..40, 7) {
            let plane = Plane { lines: 3, columns, target_line: columns + 2, addends_line: columns + 1 };
            let addends: Vec<f32> = (0..3 * plane.addends_line).map(|at| at as f32).collect();
            let old: Vec<f32> = (0..3 * plane.target_line).map(|at| 1000.0 * at as f32).collect();
            for machine in AddPlane::usable().chain([AddPlane::PORTABLE]) {
                let mut target = old.clone();
                // SAFETY: both buffers contain the plane, and the processor runs the instance.
                unsafe { machine(target.as_mut_ptr(), addends.as_ptr(), &plane) };
                for (at, number) in target.into_iter().enumerate() {
                    let (line, column) = (at / plane.target_line, at % plane.target_line);
                    let added = if column < columns { addends[line * plane.addends_line + column] } else { 0.0 };
                    assert_eq!(number, old[at] + added);
                }
            }
        }
    }
}
