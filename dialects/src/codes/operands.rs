// Generated from the rows of the dialects; UPDATE=1 cargo test -p onnxc-dialects regenerates it.

pub(crate) mod arith {
    use ir::{Body, Op, OpName, OperandList, Operands, Value, operands::list};

    use crate::OpCode;
    /// The operands of `arith.select`.
    #[derive(Clone, Copy, Debug)]
    pub struct Select {
        /// `condition`
        pub condition: Value,
        /// `true_value`
        pub true_value: Value,
        /// `false_value`
        pub false_value: Value,
    }
    impl Select {
        /// Of an operation that verifies.
        pub fn of(body: &Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Select { condition: operands[0], true_value: operands[1], false_value: operands[2] }
        }
    }
    impl Operands for Select {
        fn name() -> OpName {
            OpCode::ArithSelect.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.condition, self.true_value, self.false_value]])
        }
    }
}

pub(crate) mod cf {
    use ir::{Body, Op, OpName, OperandList, Operands, Value, operands::list};

    use crate::OpCode;
    /// The operands of `cf.cond_br`.
    #[derive(Clone, Copy, Debug)]
    pub struct CondBr<'b> {
        /// `condition`
        pub condition: Value,
        /// `destination_operands`
        pub destination_operands: &'b [Value],
    }
    impl<'b> CondBr<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            CondBr { condition: operands[0], destination_operands: &operands[1..] }
        }
    }
    impl Operands for CondBr<'_> {
        fn name() -> OpName {
            OpCode::CfCondBr.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.condition], self.destination_operands])
        }
    }
    /// The operands of `cf.switch`.
    #[derive(Clone, Copy, Debug)]
    pub struct Switch<'b> {
        /// `flag`
        pub flag: Value,
        /// `destination_operands`
        pub destination_operands: &'b [Value],
    }
    impl<'b> Switch<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Switch { flag: operands[0], destination_operands: &operands[1..] }
        }
    }
    impl Operands for Switch<'_> {
        fn name() -> OpName {
            OpCode::CfSwitch.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.flag], self.destination_operands])
        }
    }
}

pub(crate) mod math {
    use ir::{Body, Op, OpName, OperandList, Operands, Value, operands::list};

    use crate::OpCode;
    /// The operands of `math.clampf`.
    #[derive(Clone, Copy, Debug)]
    pub struct Clampf {
        /// `value`
        pub value: Value,
        /// `min`
        pub min: Value,
        /// `max`
        pub max: Value,
    }
    impl Clampf {
        /// Of an operation that verifies.
        pub fn of(body: &Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Clampf { value: operands[0], min: operands[1], max: operands[2] }
        }
    }
    impl Operands for Clampf {
        fn name() -> OpName {
            OpCode::MathClampf.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.value, self.min, self.max]])
        }
    }
    /// The operands of `math.fma`.
    #[derive(Clone, Copy, Debug)]
    pub struct Fma {
        /// `a`
        pub a: Value,
        /// `b`
        pub b: Value,
        /// `c`
        pub c: Value,
    }
    impl Fma {
        /// Of an operation that verifies.
        pub fn of(body: &Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Fma { a: operands[0], b: operands[1], c: operands[2] }
        }
    }
    impl Operands for Fma {
        fn name() -> OpName {
            OpCode::MathFma.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.a, self.b, self.c]])
        }
    }
}

pub(crate) mod memref {
    use ir::{Body, Op, OpName, OperandList, Operands, Value, operands::list};

    use crate::OpCode;
    /// The operands of `memref.copy`.
    #[derive(Clone, Copy, Debug)]
    pub struct Copy {
        /// `source`
        pub source: Value,
        /// `target`
        pub target: Value,
    }
    impl Copy {
        /// Of an operation that verifies.
        pub fn of(body: &Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Copy { source: operands[0], target: operands[1] }
        }
    }
    impl Operands for Copy {
        fn name() -> OpName {
            OpCode::MemrefCopy.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.source, self.target]])
        }
    }
    /// The operands of `memref.dim`.
    #[derive(Clone, Copy, Debug)]
    pub struct Dim {
        /// `source`
        pub source: Value,
        /// `index`
        pub index: Value,
    }
    impl Dim {
        /// Of an operation that verifies.
        pub fn of(body: &Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Dim { source: operands[0], index: operands[1] }
        }
    }
    impl Operands for Dim {
        fn name() -> OpName {
            OpCode::MemrefDim.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.source, self.index]])
        }
    }
    /// The operands of `memref.load`.
    #[derive(Clone, Copy, Debug)]
    pub struct Load<'b> {
        /// `memref`
        pub memref: Value,
        /// `indices`
        pub indices: &'b [Value],
    }
    impl<'b> Load<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Load { memref: operands[0], indices: &operands[1..] }
        }
    }
    impl Operands for Load<'_> {
        fn name() -> OpName {
            OpCode::MemrefLoad.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.memref], self.indices])
        }
    }
    /// The operands of `memref.store`.
    #[derive(Clone, Copy, Debug)]
    pub struct Store<'b> {
        /// `value`
        pub value: Value,
        /// `memref`
        pub memref: Value,
        /// `indices`
        pub indices: &'b [Value],
    }
    impl<'b> Store<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Store { value: operands[0], memref: operands[1], indices: &operands[2..] }
        }
    }
    impl Operands for Store<'_> {
        fn name() -> OpName {
            OpCode::MemrefStore.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.value, self.memref], self.indices])
        }
    }
    /// The operands of `memref.subview`.
    #[derive(Clone, Copy, Debug)]
    pub struct Subview<'b> {
        /// `source`
        pub source: Value,
        /// `offsets_sizes_strides`
        pub offsets_sizes_strides: &'b [Value],
    }
    impl<'b> Subview<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Subview { source: operands[0], offsets_sizes_strides: &operands[1..] }
        }
    }
    impl Operands for Subview<'_> {
        fn name() -> OpName {
            OpCode::MemrefSubview.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.source], self.offsets_sizes_strides])
        }
    }
    /// The operands of `memref.view`.
    #[derive(Clone, Copy, Debug)]
    pub struct View<'b> {
        /// `source`
        pub source: Value,
        /// `shift`
        pub shift: Value,
        /// `sizes`
        pub sizes: &'b [Value],
    }
    impl<'b> View<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            View { source: operands[0], shift: operands[1], sizes: &operands[2..] }
        }
    }
    impl Operands for View<'_> {
        fn name() -> OpName {
            OpCode::MemrefView.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.source, self.shift], self.sizes])
        }
    }
}

pub(crate) mod rt {
    use ir::{Body, Op, OpName, OperandList, Operands, Value, operands::list};

    use crate::OpCode;
    /// The operands of `rt.append`.
    #[derive(Clone, Copy, Debug)]
    pub struct Append {
        /// `tensor`
        pub tensor: Value,
        /// `element`
        pub element: Value,
    }
    impl Append {
        /// Of an operation that verifies.
        pub fn of(body: &Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Append { tensor: operands[0], element: operands[1] }
        }
    }
    impl Operands for Append {
        fn name() -> OpName {
            OpCode::RtAppend.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.tensor, self.element]])
        }
    }
    /// The operands of `rt.bounds`.
    #[derive(Clone, Copy, Debug)]
    pub struct Bounds<'b> {
        /// `buffer`
        pub buffer: Value,
        /// `status`
        pub status: Value,
        /// `count`
        pub count: &'b [Value],
    }
    impl<'b> Bounds<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Bounds { buffer: operands[0], status: operands[1], count: &operands[2..] }
        }
    }
    impl Operands for Bounds<'_> {
        fn name() -> OpName {
            OpCode::RtBounds.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.buffer, self.status], self.count])
        }
    }
    /// The operands of `rt.load_address`.
    #[derive(Clone, Copy, Debug)]
    pub struct LoadAddress {
        /// `pointers`
        pub pointers: Value,
        /// `index`
        pub index: Value,
    }
    impl LoadAddress {
        /// Of an operation that verifies.
        pub fn of(body: &Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            LoadAddress { pointers: operands[0], index: operands[1] }
        }
    }
    impl Operands for LoadAddress {
        fn name() -> OpName {
            OpCode::RtLoadAddress.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.pointers, self.index]])
        }
    }
    /// The operands of `rt.pack`.
    #[derive(Clone, Copy, Debug)]
    pub struct Pack<'b> {
        /// `table`
        pub table: Value,
        /// `values`
        pub values: &'b [Value],
    }
    impl<'b> Pack<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Pack { table: operands[0], values: &operands[1..] }
        }
    }
    impl Operands for Pack<'_> {
        fn name() -> OpName {
            OpCode::RtPack.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.table], self.values])
        }
    }
    /// The operands of `rt.parallel_for`.
    #[derive(Clone, Copy, Debug)]
    pub struct ParallelFor {
        /// `environment`
        pub environment: Value,
        /// `count`
        pub count: Value,
        /// `work`
        pub work: Value,
    }
    impl ParallelFor {
        /// Of an operation that verifies.
        pub fn of(body: &Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            ParallelFor { environment: operands[0], count: operands[1], work: operands[2] }
        }
    }
    impl Operands for ParallelFor {
        fn name() -> OpName {
            OpCode::RtParallelFor.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.environment, self.count, self.work]])
        }
    }
}

pub(crate) mod scf {
    use ir::{Body, Op, OpName, OperandList, Operands, Value, operands::list};

    use crate::OpCode;
    /// The operands of `scf.condition`.
    #[derive(Clone, Copy, Debug)]
    pub struct Condition<'b> {
        /// `condition`
        pub condition: Value,
        /// `args`
        pub args: &'b [Value],
    }
    impl<'b> Condition<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Condition { condition: operands[0], args: &operands[1..] }
        }
    }
    impl Operands for Condition<'_> {
        fn name() -> OpName {
            OpCode::ScfCondition.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.condition], self.args])
        }
    }
    /// The operands of `scf.for`.
    #[derive(Clone, Copy, Debug)]
    pub struct For<'b> {
        /// `lower_bound`
        pub lower_bound: Value,
        /// `upper_bound`
        pub upper_bound: Value,
        /// `step`
        pub step: Value,
        /// `init_args`
        pub init_args: &'b [Value],
    }
    impl<'b> For<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            For { lower_bound: operands[0], upper_bound: operands[1], step: operands[2], init_args: &operands[3..] }
        }
    }
    impl Operands for For<'_> {
        fn name() -> OpName {
            OpCode::ScfFor.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.lower_bound, self.upper_bound, self.step], self.init_args])
        }
    }
}

pub(crate) mod tensor {
    use ir::{Body, Op, OpName, OperandList, Operands, Value, operands::list};

    use crate::OpCode;
    /// The operands of `tensor.dim`.
    #[derive(Clone, Copy, Debug)]
    pub struct Dim {
        /// `source`
        pub source: Value,
        /// `index`
        pub index: Value,
    }
    impl Dim {
        /// Of an operation that verifies.
        pub fn of(body: &Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Dim { source: operands[0], index: operands[1] }
        }
    }
    impl Operands for Dim {
        fn name() -> OpName {
            OpCode::TensorDim.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.source, self.index]])
        }
    }
    /// The operands of `tensor.empty`.
    #[derive(Clone, Copy, Debug)]
    pub struct Empty<'b> {
        /// `sizes`
        pub sizes: &'b [Value],
    }
    impl<'b> Empty<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Empty { sizes: &operands[0..] }
        }
    }
    impl Operands for Empty<'_> {
        fn name() -> OpName {
            OpCode::TensorEmpty.into()
        }
        fn list(&self) -> OperandList {
            list(&[self.sizes])
        }
    }
    /// The operands of `tensor.extract`.
    #[derive(Clone, Copy, Debug)]
    pub struct Extract<'b> {
        /// `tensor`
        pub tensor: Value,
        /// `indices`
        pub indices: &'b [Value],
    }
    impl<'b> Extract<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Extract { tensor: operands[0], indices: &operands[1..] }
        }
    }
    impl Operands for Extract<'_> {
        fn name() -> OpName {
            OpCode::TensorExtract.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.tensor], self.indices])
        }
    }
    /// The operands of `tensor.extract_slice`.
    #[derive(Clone, Copy, Debug)]
    pub struct ExtractSlice<'b> {
        /// `source`
        pub source: Value,
        /// `offsets_sizes_strides`
        pub offsets_sizes_strides: &'b [Value],
    }
    impl<'b> ExtractSlice<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            ExtractSlice { source: operands[0], offsets_sizes_strides: &operands[1..] }
        }
    }
    impl Operands for ExtractSlice<'_> {
        fn name() -> OpName {
            OpCode::TensorExtractSlice.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.source], self.offsets_sizes_strides])
        }
    }
    /// The operands of `tensor.insert`.
    #[derive(Clone, Copy, Debug)]
    pub struct Insert<'b> {
        /// `scalar`
        pub scalar: Value,
        /// `dest`
        pub dest: Value,
        /// `indices`
        pub indices: &'b [Value],
    }
    impl<'b> Insert<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Insert { scalar: operands[0], dest: operands[1], indices: &operands[2..] }
        }
    }
    impl Operands for Insert<'_> {
        fn name() -> OpName {
            OpCode::TensorInsert.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.scalar, self.dest], self.indices])
        }
    }
    /// The operands of `tensor.pad`.
    #[derive(Clone, Copy, Debug)]
    pub struct Pad<'b> {
        /// `source`
        pub source: Value,
        /// `bounds`
        pub bounds: &'b [Value],
    }
    impl<'b> Pad<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Pad { source: operands[0], bounds: &operands[1..] }
        }
    }
    impl Operands for Pad<'_> {
        fn name() -> OpName {
            OpCode::TensorPad.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.source], self.bounds])
        }
    }
    /// The operands of `tensor.reshape`.
    #[derive(Clone, Copy, Debug)]
    pub struct Reshape {
        /// `source`
        pub source: Value,
        /// `shape`
        pub shape: Value,
    }
    impl Reshape {
        /// Of an operation that verifies.
        pub fn of(body: &Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Reshape { source: operands[0], shape: operands[1] }
        }
    }
    impl Operands for Reshape {
        fn name() -> OpName {
            OpCode::TensorReshape.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.source, self.shape]])
        }
    }
}

pub(crate) mod vector {
    use ir::{Body, Op, OpName, OperandList, Operands, Value, operands::list};

    use crate::OpCode;
    /// The operands of `vector.create_mask`.
    #[derive(Clone, Copy, Debug)]
    pub struct CreateMask<'b> {
        /// `operands`
        pub operands: &'b [Value],
    }
    impl<'b> CreateMask<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            CreateMask { operands: &operands[0..] }
        }
    }
    impl Operands for CreateMask<'_> {
        fn name() -> OpName {
            OpCode::VectorCreateMask.into()
        }
        fn list(&self) -> OperandList {
            list(&[self.operands])
        }
    }
    /// The operands of `vector.extract`.
    #[derive(Clone, Copy, Debug)]
    pub struct Extract<'b> {
        /// `source`
        pub source: Value,
        /// `dynamic_position`
        pub dynamic_position: &'b [Value],
    }
    impl<'b> Extract<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Extract { source: operands[0], dynamic_position: &operands[1..] }
        }
    }
    impl Operands for Extract<'_> {
        fn name() -> OpName {
            OpCode::VectorExtract.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.source], self.dynamic_position])
        }
    }
    /// The operands of `vector.fma`.
    #[derive(Clone, Copy, Debug)]
    pub struct Fma {
        /// `lhs`
        pub lhs: Value,
        /// `rhs`
        pub rhs: Value,
        /// `acc`
        pub acc: Value,
    }
    impl Fma {
        /// Of an operation that verifies.
        pub fn of(body: &Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Fma { lhs: operands[0], rhs: operands[1], acc: operands[2] }
        }
    }
    impl Operands for Fma {
        fn name() -> OpName {
            OpCode::VectorFma.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.lhs, self.rhs, self.acc]])
        }
    }
    /// The operands of `vector.gather`.
    #[derive(Clone, Copy, Debug)]
    pub struct Gather<'b> {
        /// `base`
        pub base: Value,
        /// `offsets`
        pub offsets: &'b [Value],
        /// `indices`
        pub indices: Value,
        /// `mask`
        pub mask: Value,
        /// `pass_thru`
        pub pass_thru: Value,
    }
    impl<'b> Gather<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Gather { base: operands[0], offsets: &operands[1..operands.len() - 3], indices: operands[operands.len() - 3], mask: operands[operands.len() - 2], pass_thru: operands[operands.len() - 1] }
        }
    }
    impl Operands for Gather<'_> {
        fn name() -> OpName {
            OpCode::VectorGather.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.base], self.offsets, &[self.indices, self.mask, self.pass_thru]])
        }
    }
    /// The operands of `vector.insert`.
    #[derive(Clone, Copy, Debug)]
    pub struct Insert<'b> {
        /// `value_to_store`
        pub value_to_store: Value,
        /// `dest`
        pub dest: Value,
        /// `dynamic_position`
        pub dynamic_position: &'b [Value],
    }
    impl<'b> Insert<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Insert { value_to_store: operands[0], dest: operands[1], dynamic_position: &operands[2..] }
        }
    }
    impl Operands for Insert<'_> {
        fn name() -> OpName {
            OpCode::VectorInsert.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.value_to_store, self.dest], self.dynamic_position])
        }
    }
    /// The operands of `vector.load`.
    #[derive(Clone, Copy, Debug)]
    pub struct Load<'b> {
        /// `base`
        pub base: Value,
        /// `indices`
        pub indices: &'b [Value],
    }
    impl<'b> Load<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Load { base: operands[0], indices: &operands[1..] }
        }
    }
    impl Operands for Load<'_> {
        fn name() -> OpName {
            OpCode::VectorLoad.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.base], self.indices])
        }
    }
    /// The operands of `vector.maskedload`.
    #[derive(Clone, Copy, Debug)]
    pub struct Maskedload<'b> {
        /// `base`
        pub base: Value,
        /// `indices`
        pub indices: &'b [Value],
        /// `mask`
        pub mask: Value,
        /// `pass_thru`
        pub pass_thru: Value,
    }
    impl<'b> Maskedload<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Maskedload { base: operands[0], indices: &operands[1..operands.len() - 2], mask: operands[operands.len() - 2], pass_thru: operands[operands.len() - 1] }
        }
    }
    impl Operands for Maskedload<'_> {
        fn name() -> OpName {
            OpCode::VectorMaskedload.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.base], self.indices, &[self.mask, self.pass_thru]])
        }
    }
    /// The operands of `vector.maskedstore`.
    #[derive(Clone, Copy, Debug)]
    pub struct Maskedstore<'b> {
        /// `base`
        pub base: Value,
        /// `indices`
        pub indices: &'b [Value],
        /// `mask`
        pub mask: Value,
        /// `value`
        pub value: Value,
    }
    impl<'b> Maskedstore<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Maskedstore { base: operands[0], indices: &operands[1..operands.len() - 2], mask: operands[operands.len() - 2], value: operands[operands.len() - 1] }
        }
    }
    impl Operands for Maskedstore<'_> {
        fn name() -> OpName {
            OpCode::VectorMaskedstore.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.base], self.indices, &[self.mask, self.value]])
        }
    }
    /// The operands of `vector.reduction`.
    #[derive(Clone, Copy, Debug)]
    pub struct Reduction<'b> {
        /// `vector`
        pub vector: Value,
        /// `acc`
        pub acc: &'b [Value],
    }
    impl<'b> Reduction<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Reduction { vector: operands[0], acc: &operands[1..] }
        }
    }
    impl Operands for Reduction<'_> {
        fn name() -> OpName {
            OpCode::VectorReduction.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.vector], self.acc])
        }
    }
    /// The operands of `vector.shuffle`.
    #[derive(Clone, Copy, Debug)]
    pub struct Shuffle {
        /// `v1`
        pub v1: Value,
        /// `v2`
        pub v2: Value,
    }
    impl Shuffle {
        /// Of an operation that verifies.
        pub fn of(body: &Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Shuffle { v1: operands[0], v2: operands[1] }
        }
    }
    impl Operands for Shuffle {
        fn name() -> OpName {
            OpCode::VectorShuffle.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.v1, self.v2]])
        }
    }
    /// The operands of `vector.store`.
    #[derive(Clone, Copy, Debug)]
    pub struct Store<'b> {
        /// `value`
        pub value: Value,
        /// `base`
        pub base: Value,
        /// `indices`
        pub indices: &'b [Value],
    }
    impl<'b> Store<'b> {
        /// Of an operation that verifies.
        pub fn of(body: &'b Body, op: Op) -> Self {
            let operands = body.op(op).operands();
            Store { value: operands[0], base: operands[1], indices: &operands[2..] }
        }
    }
    impl Operands for Store<'_> {
        fn name() -> OpName {
            OpCode::VectorStore.into()
        }
        fn list(&self) -> OperandList {
            list(&[&[self.value, self.base], self.indices])
        }
    }
}
