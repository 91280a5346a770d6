// Generated from the rows of the dialects; UPDATE=1 cargo test -p onnxc-dialects regenerates it.
use ir::DefinedName;

/// An operation below the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u16)]
pub enum OpCode {
    /// `builtin.module`
    BuiltinModule,
    /// `func.func`
    FuncFunc,
    /// `func.return`
    FuncReturn,
    /// `arith.constant`
    ArithConstant,
    /// `builtin.unrealized_conversion_cast`
    BuiltinUnrealizedConversionCast,
    /// `arith.addf`
    ArithAddf,
    /// `arith.addi`
    ArithAddi,
    /// `arith.addui_extended`
    ArithAdduiExtended,
    /// `arith.andi`
    ArithAndi,
    /// `arith.bitcast`
    ArithBitcast,
    /// `arith.ceildivsi`
    ArithCeildivsi,
    /// `arith.ceildivui`
    ArithCeildivui,
    /// `arith.cmpf`
    ArithCmpf,
    /// `arith.cmpi`
    ArithCmpi,
    /// `arith.divf`
    ArithDivf,
    /// `arith.divsi`
    ArithDivsi,
    /// `arith.divui`
    ArithDivui,
    /// `arith.extf`
    ArithExtf,
    /// `arith.extsi`
    ArithExtsi,
    /// `arith.extui`
    ArithExtui,
    /// `arith.floordivsi`
    ArithFloordivsi,
    /// `arith.fptosi`
    ArithFptosi,
    /// `arith.fptoui`
    ArithFptoui,
    /// `arith.index_cast`
    ArithIndexCast,
    /// `arith.index_castui`
    ArithIndexCastui,
    /// `arith.maximumf`
    ArithMaximumf,
    /// `arith.maxnumf`
    ArithMaxnumf,
    /// `arith.maxsi`
    ArithMaxsi,
    /// `arith.maxui`
    ArithMaxui,
    /// `arith.minimumf`
    ArithMinimumf,
    /// `arith.minnumf`
    ArithMinnumf,
    /// `arith.minsi`
    ArithMinsi,
    /// `arith.minui`
    ArithMinui,
    /// `arith.mulf`
    ArithMulf,
    /// `arith.muli`
    ArithMuli,
    /// `arith.mulsi_extended`
    ArithMulsiExtended,
    /// `arith.mului_extended`
    ArithMuluiExtended,
    /// `arith.negf`
    ArithNegf,
    /// `arith.ori`
    ArithOri,
    /// `arith.remf`
    ArithRemf,
    /// `arith.remsi`
    ArithRemsi,
    /// `arith.remui`
    ArithRemui,
    /// `arith.select`
    ArithSelect,
    /// `arith.shli`
    ArithShli,
    /// `arith.shrsi`
    ArithShrsi,
    /// `arith.shrui`
    ArithShrui,
    /// `arith.sitofp`
    ArithSitofp,
    /// `arith.subf`
    ArithSubf,
    /// `arith.subi`
    ArithSubi,
    /// `arith.truncf`
    ArithTruncf,
    /// `arith.trunci`
    ArithTrunci,
    /// `arith.uitofp`
    ArithUitofp,
    /// `arith.xori`
    ArithXori,
    /// `cf.assert`
    CfAssert,
    /// `cf.br`
    CfBr,
    /// `cf.cond_br`
    CfCondBr,
    /// `cf.switch`
    CfSwitch,
    /// `func.call`
    FuncCall,
    /// `linalg.fill`
    LinalgFill,
    /// `linalg.generic`
    LinalgGeneric,
    /// `linalg.index`
    LinalgIndex,
    /// `linalg.pack`
    LinalgPack,
    /// `linalg.unpack`
    LinalgUnpack,
    /// `linalg.yield`
    LinalgYield,
    /// `math.absf`
    MathAbsf,
    /// `math.absi`
    MathAbsi,
    /// `math.acos`
    MathAcos,
    /// `math.acosh`
    MathAcosh,
    /// `math.asin`
    MathAsin,
    /// `math.asinh`
    MathAsinh,
    /// `math.atan`
    MathAtan,
    /// `math.atan2`
    MathAtan2,
    /// `math.atanh`
    MathAtanh,
    /// `math.cbrt`
    MathCbrt,
    /// `math.ceil`
    MathCeil,
    /// `math.clampf`
    MathClampf,
    /// `math.copysign`
    MathCopysign,
    /// `math.cos`
    MathCos,
    /// `math.cosh`
    MathCosh,
    /// `math.ctlz`
    MathCtlz,
    /// `math.ctpop`
    MathCtpop,
    /// `math.cttz`
    MathCttz,
    /// `math.erf`
    MathErf,
    /// `math.erfc`
    MathErfc,
    /// `math.exp`
    MathExp,
    /// `math.exp2`
    MathExp2,
    /// `math.expm1`
    MathExpm1,
    /// `math.floor`
    MathFloor,
    /// `math.fma`
    MathFma,
    /// `math.fpowi`
    MathFpowi,
    /// `math.ipowi`
    MathIpowi,
    /// `math.isfinite`
    MathIsfinite,
    /// `math.isinf`
    MathIsinf,
    /// `math.isnan`
    MathIsnan,
    /// `math.isnormal`
    MathIsnormal,
    /// `math.log`
    MathLog,
    /// `math.log10`
    MathLog10,
    /// `math.log1p`
    MathLog1p,
    /// `math.log2`
    MathLog2,
    /// `math.powf`
    MathPowf,
    /// `math.round`
    MathRound,
    /// `math.roundeven`
    MathRoundeven,
    /// `math.rsqrt`
    MathRsqrt,
    /// `math.sin`
    MathSin,
    /// `math.sincos`
    MathSincos,
    /// `math.sinh`
    MathSinh,
    /// `math.sqrt`
    MathSqrt,
    /// `math.tan`
    MathTan,
    /// `math.tanh`
    MathTanh,
    /// `math.trunc`
    MathTrunc,
    /// `memref.alloc`
    MemrefAlloc,
    /// `memref.alloca`
    MemrefAlloca,
    /// `memref.cast`
    MemrefCast,
    /// `memref.collapse_shape`
    MemrefCollapseShape,
    /// `memref.copy`
    MemrefCopy,
    /// `memref.dealloc`
    MemrefDealloc,
    /// `memref.dim`
    MemrefDim,
    /// `memref.expand_shape`
    MemrefExpandShape,
    /// `memref.extract_aligned_pointer_as_index`
    MemrefExtractAlignedPointerAsIndex,
    /// `memref.get_global`
    MemrefGetGlobal,
    /// `memref.global`
    MemrefGlobal,
    /// `memref.load`
    MemrefLoad,
    /// `memref.reinterpret_cast`
    MemrefReinterpretCast,
    /// `memref.store`
    MemrefStore,
    /// `memref.subview`
    MemrefSubview,
    /// `memref.view`
    MemrefView,
    /// `ml_program.global`
    MlProgramGlobal,
    /// `ml_program.global_load`
    MlProgramGlobalLoad,
    /// `ml_program.global_store`
    MlProgramGlobalStore,
    /// `rt.address`
    RtAddress,
    /// `rt.append`
    RtAppend,
    /// `rt.bounds`
    RtBounds,
    /// `rt.buffer`
    RtBuffer,
    /// `rt.call`
    RtCall,
    /// `rt.contract`
    RtContract,
    /// `rt.contract_blocks`
    RtContractBlocks,
    /// `rt.depthwise`
    RtDepthwise,
    /// `rt.load_address`
    RtLoadAddress,
    /// `rt.pack`
    RtPack,
    /// `rt.parallel_for`
    RtParallelFor,
    /// `rt.unpack`
    RtUnpack,
    /// `rt.winograd`
    RtWinograd,
    /// `rt.winograd_tiles`
    RtWinogradTiles,
    /// `scf.condition`
    ScfCondition,
    /// `scf.for`
    ScfFor,
    /// `scf.if`
    ScfIf,
    /// `scf.parallel`
    ScfParallel,
    /// `scf.reduce`
    ScfReduce,
    /// `scf.reduce.return`
    ScfReduceReturn,
    /// `scf.while`
    ScfWhile,
    /// `scf.yield`
    ScfYield,
    /// `tensor.bitcast`
    TensorBitcast,
    /// `tensor.cast`
    TensorCast,
    /// `tensor.collapse_shape`
    TensorCollapseShape,
    /// `tensor.concat`
    TensorConcat,
    /// `tensor.dim`
    TensorDim,
    /// `tensor.empty`
    TensorEmpty,
    /// `tensor.expand_shape`
    TensorExpandShape,
    /// `tensor.extract`
    TensorExtract,
    /// `tensor.extract_slice`
    TensorExtractSlice,
    /// `tensor.from_elements`
    TensorFromElements,
    /// `tensor.generate`
    TensorGenerate,
    /// `tensor.insert`
    TensorInsert,
    /// `tensor.insert_slice`
    TensorInsertSlice,
    /// `tensor.pad`
    TensorPad,
    /// `tensor.rank`
    TensorRank,
    /// `tensor.reshape`
    TensorReshape,
    /// `tensor.splat`
    TensorSplat,
    /// `tensor.yield`
    TensorYield,
    /// `vector.bitcast`
    VectorBitcast,
    /// `vector.broadcast`
    VectorBroadcast,
    /// `vector.constant_mask`
    VectorConstantMask,
    /// `vector.create_mask`
    VectorCreateMask,
    /// `vector.extract`
    VectorExtract,
    /// `vector.fma`
    VectorFma,
    /// `vector.from_elements`
    VectorFromElements,
    /// `vector.gather`
    VectorGather,
    /// `vector.insert`
    VectorInsert,
    /// `vector.load`
    VectorLoad,
    /// `vector.maskedload`
    VectorMaskedload,
    /// `vector.maskedstore`
    VectorMaskedstore,
    /// `vector.reduction`
    VectorReduction,
    /// `vector.shape_cast`
    VectorShapeCast,
    /// `vector.shuffle`
    VectorShuffle,
    /// `vector.step`
    VectorStep,
    /// `vector.store`
    VectorStore,
}

/// A dialect below the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// `arith`
    Arith,
    /// `builtin`
    Builtin,
    /// `cf`
    Cf,
    /// `func`
    Func,
    /// `linalg`
    Linalg,
    /// `math`
    Math,
    /// `memref`
    Memref,
    /// `ml_program`
    MlProgram,
    /// `rt`
    Rt,
    /// `scf`
    Scf,
    /// `tensor`
    Tensor,
    /// `vector`
    Vector,
}

/// The dialects by code.
pub(super) static DIALECTS: [Dialect; 186] = [
    Dialect::Builtin,
    Dialect::Func,
    Dialect::Func,
    Dialect::Arith,
    Dialect::Builtin,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Arith,
    Dialect::Cf,
    Dialect::Cf,
    Dialect::Cf,
    Dialect::Cf,
    Dialect::Func,
    Dialect::Linalg,
    Dialect::Linalg,
    Dialect::Linalg,
    Dialect::Linalg,
    Dialect::Linalg,
    Dialect::Linalg,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Math,
    Dialect::Memref,
    Dialect::Memref,
    Dialect::Memref,
    Dialect::Memref,
    Dialect::Memref,
    Dialect::Memref,
    Dialect::Memref,
    Dialect::Memref,
    Dialect::Memref,
    Dialect::Memref,
    Dialect::Memref,
    Dialect::Memref,
    Dialect::Memref,
    Dialect::Memref,
    Dialect::Memref,
    Dialect::Memref,
    Dialect::MlProgram,
    Dialect::MlProgram,
    Dialect::MlProgram,
    Dialect::Rt,
    Dialect::Rt,
    Dialect::Rt,
    Dialect::Rt,
    Dialect::Rt,
    Dialect::Rt,
    Dialect::Rt,
    Dialect::Rt,
    Dialect::Rt,
    Dialect::Rt,
    Dialect::Rt,
    Dialect::Rt,
    Dialect::Rt,
    Dialect::Rt,
    Dialect::Scf,
    Dialect::Scf,
    Dialect::Scf,
    Dialect::Scf,
    Dialect::Scf,
    Dialect::Scf,
    Dialect::Scf,
    Dialect::Scf,
    Dialect::Tensor,
    Dialect::Tensor,
    Dialect::Tensor,
    Dialect::Tensor,
    Dialect::Tensor,
    Dialect::Tensor,
    Dialect::Tensor,
    Dialect::Tensor,
    Dialect::Tensor,
    Dialect::Tensor,
    Dialect::Tensor,
    Dialect::Tensor,
    Dialect::Tensor,
    Dialect::Tensor,
    Dialect::Tensor,
    Dialect::Tensor,
    Dialect::Tensor,
    Dialect::Tensor,
    Dialect::Vector,
    Dialect::Vector,
    Dialect::Vector,
    Dialect::Vector,
    Dialect::Vector,
    Dialect::Vector,
    Dialect::Vector,
    Dialect::Vector,
    Dialect::Vector,
    Dialect::Vector,
    Dialect::Vector,
    Dialect::Vector,
    Dialect::Vector,
    Dialect::Vector,
    Dialect::Vector,
    Dialect::Vector,
    Dialect::Vector,
];

/// Every code, in order.
pub(super) static CODES: [OpCode; 186] = [
    OpCode::BuiltinModule,
    OpCode::FuncFunc,
    OpCode::FuncReturn,
    OpCode::ArithConstant,
    OpCode::BuiltinUnrealizedConversionCast,
    OpCode::ArithAddf,
    OpCode::ArithAddi,
    OpCode::ArithAdduiExtended,
    OpCode::ArithAndi,
    OpCode::ArithBitcast,
    OpCode::ArithCeildivsi,
    OpCode::ArithCeildivui,
    OpCode::ArithCmpf,
    OpCode::ArithCmpi,
    OpCode::ArithDivf,
    OpCode::ArithDivsi,
    OpCode::ArithDivui,
    OpCode::ArithExtf,
    OpCode::ArithExtsi,
    OpCode::ArithExtui,
    OpCode::ArithFloordivsi,
    OpCode::ArithFptosi,
    OpCode::ArithFptoui,
    OpCode::ArithIndexCast,
    OpCode::ArithIndexCastui,
    OpCode::ArithMaximumf,
    OpCode::ArithMaxnumf,
    OpCode::ArithMaxsi,
    OpCode::ArithMaxui,
    OpCode::ArithMinimumf,
    OpCode::ArithMinnumf,
    OpCode::ArithMinsi,
    OpCode::ArithMinui,
    OpCode::ArithMulf,
    OpCode::ArithMuli,
    OpCode::ArithMulsiExtended,
    OpCode::ArithMuluiExtended,
    OpCode::ArithNegf,
    OpCode::ArithOri,
    OpCode::ArithRemf,
    OpCode::ArithRemsi,
    OpCode::ArithRemui,
    OpCode::ArithSelect,
    OpCode::ArithShli,
    OpCode::ArithShrsi,
    OpCode::ArithShrui,
    OpCode::ArithSitofp,
    OpCode::ArithSubf,
    OpCode::ArithSubi,
    OpCode::ArithTruncf,
    OpCode::ArithTrunci,
    OpCode::ArithUitofp,
    OpCode::ArithXori,
    OpCode::CfAssert,
    OpCode::CfBr,
    OpCode::CfCondBr,
    OpCode::CfSwitch,
    OpCode::FuncCall,
    OpCode::LinalgFill,
    OpCode::LinalgGeneric,
    OpCode::LinalgIndex,
    OpCode::LinalgPack,
    OpCode::LinalgUnpack,
    OpCode::LinalgYield,
    OpCode::MathAbsf,
    OpCode::MathAbsi,
    OpCode::MathAcos,
    OpCode::MathAcosh,
    OpCode::MathAsin,
    OpCode::MathAsinh,
    OpCode::MathAtan,
    OpCode::MathAtan2,
    OpCode::MathAtanh,
    OpCode::MathCbrt,
    OpCode::MathCeil,
    OpCode::MathClampf,
    OpCode::MathCopysign,
    OpCode::MathCos,
    OpCode::MathCosh,
    OpCode::MathCtlz,
    OpCode::MathCtpop,
    OpCode::MathCttz,
    OpCode::MathErf,
    OpCode::MathErfc,
    OpCode::MathExp,
    OpCode::MathExp2,
    OpCode::MathExpm1,
    OpCode::MathFloor,
    OpCode::MathFma,
    OpCode::MathFpowi,
    OpCode::MathIpowi,
    OpCode::MathIsfinite,
    OpCode::MathIsinf,
    OpCode::MathIsnan,
    OpCode::MathIsnormal,
    OpCode::MathLog,
    OpCode::MathLog10,
    OpCode::MathLog1p,
    OpCode::MathLog2,
    OpCode::MathPowf,
    OpCode::MathRound,
    OpCode::MathRoundeven,
    OpCode::MathRsqrt,
    OpCode::MathSin,
    OpCode::MathSincos,
    OpCode::MathSinh,
    OpCode::MathSqrt,
    OpCode::MathTan,
    OpCode::MathTanh,
    OpCode::MathTrunc,
    OpCode::MemrefAlloc,
    OpCode::MemrefAlloca,
    OpCode::MemrefCast,
    OpCode::MemrefCollapseShape,
    OpCode::MemrefCopy,
    OpCode::MemrefDealloc,
    OpCode::MemrefDim,
    OpCode::MemrefExpandShape,
    OpCode::MemrefExtractAlignedPointerAsIndex,
    OpCode::MemrefGetGlobal,
    OpCode::MemrefGlobal,
    OpCode::MemrefLoad,
    OpCode::MemrefReinterpretCast,
    OpCode::MemrefStore,
    OpCode::MemrefSubview,
    OpCode::MemrefView,
    OpCode::MlProgramGlobal,
    OpCode::MlProgramGlobalLoad,
    OpCode::MlProgramGlobalStore,
    OpCode::RtAddress,
    OpCode::RtAppend,
    OpCode::RtBounds,
    OpCode::RtBuffer,
    OpCode::RtCall,
    OpCode::RtContract,
    OpCode::RtContractBlocks,
    OpCode::RtDepthwise,
    OpCode::RtLoadAddress,
    OpCode::RtPack,
    OpCode::RtParallelFor,
    OpCode::RtUnpack,
    OpCode::RtWinograd,
    OpCode::RtWinogradTiles,
    OpCode::ScfCondition,
    OpCode::ScfFor,
    OpCode::ScfIf,
    OpCode::ScfParallel,
    OpCode::ScfReduce,
    OpCode::ScfReduceReturn,
    OpCode::ScfWhile,
    OpCode::ScfYield,
    OpCode::TensorBitcast,
    OpCode::TensorCast,
    OpCode::TensorCollapseShape,
    OpCode::TensorConcat,
    OpCode::TensorDim,
    OpCode::TensorEmpty,
    OpCode::TensorExpandShape,
    OpCode::TensorExtract,
    OpCode::TensorExtractSlice,
    OpCode::TensorFromElements,
    OpCode::TensorGenerate,
    OpCode::TensorInsert,
    OpCode::TensorInsertSlice,
    OpCode::TensorPad,
    OpCode::TensorRank,
    OpCode::TensorReshape,
    OpCode::TensorSplat,
    OpCode::TensorYield,
    OpCode::VectorBitcast,
    OpCode::VectorBroadcast,
    OpCode::VectorConstantMask,
    OpCode::VectorCreateMask,
    OpCode::VectorExtract,
    OpCode::VectorFma,
    OpCode::VectorFromElements,
    OpCode::VectorGather,
    OpCode::VectorInsert,
    OpCode::VectorLoad,
    OpCode::VectorMaskedload,
    OpCode::VectorMaskedstore,
    OpCode::VectorReduction,
    OpCode::VectorShapeCast,
    OpCode::VectorShuffle,
    OpCode::VectorStep,
    OpCode::VectorStore,
];

/// The names by code.
pub(super) static NAMES: [DefinedName; 186] = [
    DefinedName { text: "builtin.module", code: 0 },
    DefinedName { text: "func.func", code: 1 },
    DefinedName { text: "func.return", code: 2 },
    DefinedName { text: "arith.constant", code: 3 },
    DefinedName { text: "builtin.unrealized_conversion_cast", code: 4 },
    DefinedName { text: "arith.addf", code: 5 },
    DefinedName { text: "arith.addi", code: 6 },
    DefinedName { text: "arith.addui_extended", code: 7 },
    DefinedName { text: "arith.andi", code: 8 },
    DefinedName { text: "arith.bitcast", code: 9 },
    DefinedName { text: "arith.ceildivsi", code: 10 },
    DefinedName { text: "arith.ceildivui", code: 11 },
    DefinedName { text: "arith.cmpf", code: 12 },
    DefinedName { text: "arith.cmpi", code: 13 },
    DefinedName { text: "arith.divf", code: 14 },
    DefinedName { text: "arith.divsi", code: 15 },
    DefinedName { text: "arith.divui", code: 16 },
    DefinedName { text: "arith.extf", code: 17 },
    DefinedName { text: "arith.extsi", code: 18 },
    DefinedName { text: "arith.extui", code: 19 },
    DefinedName { text: "arith.floordivsi", code: 20 },
    DefinedName { text: "arith.fptosi", code: 21 },
    DefinedName { text: "arith.fptoui", code: 22 },
    DefinedName { text: "arith.index_cast", code: 23 },
    DefinedName { text: "arith.index_castui", code: 24 },
    DefinedName { text: "arith.maximumf", code: 25 },
    DefinedName { text: "arith.maxnumf", code: 26 },
    DefinedName { text: "arith.maxsi", code: 27 },
    DefinedName { text: "arith.maxui", code: 28 },
    DefinedName { text: "arith.minimumf", code: 29 },
    DefinedName { text: "arith.minnumf", code: 30 },
    DefinedName { text: "arith.minsi", code: 31 },
    DefinedName { text: "arith.minui", code: 32 },
    DefinedName { text: "arith.mulf", code: 33 },
    DefinedName { text: "arith.muli", code: 34 },
    DefinedName { text: "arith.mulsi_extended", code: 35 },
    DefinedName { text: "arith.mului_extended", code: 36 },
    DefinedName { text: "arith.negf", code: 37 },
    DefinedName { text: "arith.ori", code: 38 },
    DefinedName { text: "arith.remf", code: 39 },
    DefinedName { text: "arith.remsi", code: 40 },
    DefinedName { text: "arith.remui", code: 41 },
    DefinedName { text: "arith.select", code: 42 },
    DefinedName { text: "arith.shli", code: 43 },
    DefinedName { text: "arith.shrsi", code: 44 },
    DefinedName { text: "arith.shrui", code: 45 },
    DefinedName { text: "arith.sitofp", code: 46 },
    DefinedName { text: "arith.subf", code: 47 },
    DefinedName { text: "arith.subi", code: 48 },
    DefinedName { text: "arith.truncf", code: 49 },
    DefinedName { text: "arith.trunci", code: 50 },
    DefinedName { text: "arith.uitofp", code: 51 },
    DefinedName { text: "arith.xori", code: 52 },
    DefinedName { text: "cf.assert", code: 53 },
    DefinedName { text: "cf.br", code: 54 },
    DefinedName { text: "cf.cond_br", code: 55 },
    DefinedName { text: "cf.switch", code: 56 },
    DefinedName { text: "func.call", code: 57 },
    DefinedName { text: "linalg.fill", code: 58 },
    DefinedName { text: "linalg.generic", code: 59 },
    DefinedName { text: "linalg.index", code: 60 },
    DefinedName { text: "linalg.pack", code: 61 },
    DefinedName { text: "linalg.unpack", code: 62 },
    DefinedName { text: "linalg.yield", code: 63 },
    DefinedName { text: "math.absf", code: 64 },
    DefinedName { text: "math.absi", code: 65 },
    DefinedName { text: "math.acos", code: 66 },
    DefinedName { text: "math.acosh", code: 67 },
    DefinedName { text: "math.asin", code: 68 },
    DefinedName { text: "math.asinh", code: 69 },
    DefinedName { text: "math.atan", code: 70 },
    DefinedName { text: "math.atan2", code: 71 },
    DefinedName { text: "math.atanh", code: 72 },
    DefinedName { text: "math.cbrt", code: 73 },
    DefinedName { text: "math.ceil", code: 74 },
    DefinedName { text: "math.clampf", code: 75 },
    DefinedName { text: "math.copysign", code: 76 },
    DefinedName { text: "math.cos", code: 77 },
    DefinedName { text: "math.cosh", code: 78 },
    DefinedName { text: "math.ctlz", code: 79 },
    DefinedName { text: "math.ctpop", code: 80 },
    DefinedName { text: "math.cttz", code: 81 },
    DefinedName { text: "math.erf", code: 82 },
    DefinedName { text: "math.erfc", code: 83 },
    DefinedName { text: "math.exp", code: 84 },
    DefinedName { text: "math.exp2", code: 85 },
    DefinedName { text: "math.expm1", code: 86 },
    DefinedName { text: "math.floor", code: 87 },
    DefinedName { text: "math.fma", code: 88 },
    DefinedName { text: "math.fpowi", code: 89 },
    DefinedName { text: "math.ipowi", code: 90 },
    DefinedName { text: "math.isfinite", code: 91 },
    DefinedName { text: "math.isinf", code: 92 },
    DefinedName { text: "math.isnan", code: 93 },
    DefinedName { text: "math.isnormal", code: 94 },
    DefinedName { text: "math.log", code: 95 },
    DefinedName { text: "math.log10", code: 96 },
    DefinedName { text: "math.log1p", code: 97 },
    DefinedName { text: "math.log2", code: 98 },
    DefinedName { text: "math.powf", code: 99 },
    DefinedName { text: "math.round", code: 100 },
    DefinedName { text: "math.roundeven", code: 101 },
    DefinedName { text: "math.rsqrt", code: 102 },
    DefinedName { text: "math.sin", code: 103 },
    DefinedName { text: "math.sincos", code: 104 },
    DefinedName { text: "math.sinh", code: 105 },
    DefinedName { text: "math.sqrt", code: 106 },
    DefinedName { text: "math.tan", code: 107 },
    DefinedName { text: "math.tanh", code: 108 },
    DefinedName { text: "math.trunc", code: 109 },
    DefinedName { text: "memref.alloc", code: 110 },
    DefinedName { text: "memref.alloca", code: 111 },
    DefinedName { text: "memref.cast", code: 112 },
    DefinedName { text: "memref.collapse_shape", code: 113 },
    DefinedName { text: "memref.copy", code: 114 },
    DefinedName { text: "memref.dealloc", code: 115 },
    DefinedName { text: "memref.dim", code: 116 },
    DefinedName { text: "memref.expand_shape", code: 117 },
    DefinedName { text: "memref.extract_aligned_pointer_as_index", code: 118 },
    DefinedName { text: "memref.get_global", code: 119 },
    DefinedName { text: "memref.global", code: 120 },
    DefinedName { text: "memref.load", code: 121 },
    DefinedName { text: "memref.reinterpret_cast", code: 122 },
    DefinedName { text: "memref.store", code: 123 },
    DefinedName { text: "memref.subview", code: 124 },
    DefinedName { text: "memref.view", code: 125 },
    DefinedName { text: "ml_program.global", code: 126 },
    DefinedName { text: "ml_program.global_load", code: 127 },
    DefinedName { text: "ml_program.global_store", code: 128 },
    DefinedName { text: "rt.address", code: 129 },
    DefinedName { text: "rt.append", code: 130 },
    DefinedName { text: "rt.bounds", code: 131 },
    DefinedName { text: "rt.buffer", code: 132 },
    DefinedName { text: "rt.call", code: 133 },
    DefinedName { text: "rt.contract", code: 134 },
    DefinedName { text: "rt.contract_blocks", code: 135 },
    DefinedName { text: "rt.depthwise", code: 136 },
    DefinedName { text: "rt.load_address", code: 137 },
    DefinedName { text: "rt.pack", code: 138 },
    DefinedName { text: "rt.parallel_for", code: 139 },
    DefinedName { text: "rt.unpack", code: 140 },
    DefinedName { text: "rt.winograd", code: 141 },
    DefinedName { text: "rt.winograd_tiles", code: 142 },
    DefinedName { text: "scf.condition", code: 143 },
    DefinedName { text: "scf.for", code: 144 },
    DefinedName { text: "scf.if", code: 145 },
    DefinedName { text: "scf.parallel", code: 146 },
    DefinedName { text: "scf.reduce", code: 147 },
    DefinedName { text: "scf.reduce.return", code: 148 },
    DefinedName { text: "scf.while", code: 149 },
    DefinedName { text: "scf.yield", code: 150 },
    DefinedName { text: "tensor.bitcast", code: 151 },
    DefinedName { text: "tensor.cast", code: 152 },
    DefinedName { text: "tensor.collapse_shape", code: 153 },
    DefinedName { text: "tensor.concat", code: 154 },
    DefinedName { text: "tensor.dim", code: 155 },
    DefinedName { text: "tensor.empty", code: 156 },
    DefinedName { text: "tensor.expand_shape", code: 157 },
    DefinedName { text: "tensor.extract", code: 158 },
    DefinedName { text: "tensor.extract_slice", code: 159 },
    DefinedName { text: "tensor.from_elements", code: 160 },
    DefinedName { text: "tensor.generate", code: 161 },
    DefinedName { text: "tensor.insert", code: 162 },
    DefinedName { text: "tensor.insert_slice", code: 163 },
    DefinedName { text: "tensor.pad", code: 164 },
    DefinedName { text: "tensor.rank", code: 165 },
    DefinedName { text: "tensor.reshape", code: 166 },
    DefinedName { text: "tensor.splat", code: 167 },
    DefinedName { text: "tensor.yield", code: 168 },
    DefinedName { text: "vector.bitcast", code: 169 },
    DefinedName { text: "vector.broadcast", code: 170 },
    DefinedName { text: "vector.constant_mask", code: 171 },
    DefinedName { text: "vector.create_mask", code: 172 },
    DefinedName { text: "vector.extract", code: 173 },
    DefinedName { text: "vector.fma", code: 174 },
    DefinedName { text: "vector.from_elements", code: 175 },
    DefinedName { text: "vector.gather", code: 176 },
    DefinedName { text: "vector.insert", code: 177 },
    DefinedName { text: "vector.load", code: 178 },
    DefinedName { text: "vector.maskedload", code: 179 },
    DefinedName { text: "vector.maskedstore", code: 180 },
    DefinedName { text: "vector.reduction", code: 181 },
    DefinedName { text: "vector.shape_cast", code: 182 },
    DefinedName { text: "vector.shuffle", code: 183 },
    DefinedName { text: "vector.step", code: 184 },
    DefinedName { text: "vector.store", code: 185 },
];

pub(crate) mod arith {
    use super::OpCode;
    /// `arith.addf`
    pub const ADDF: OpCode = OpCode::ArithAddf;
    /// `arith.addi`
    pub const ADDI: OpCode = OpCode::ArithAddi;
    /// `arith.addui_extended`
    pub const ADDUI_EXTENDED: OpCode = OpCode::ArithAdduiExtended;
    /// `arith.andi`
    pub const ANDI: OpCode = OpCode::ArithAndi;
    /// `arith.bitcast`
    pub const BITCAST: OpCode = OpCode::ArithBitcast;
    /// `arith.ceildivsi`
    pub const CEILDIVSI: OpCode = OpCode::ArithCeildivsi;
    /// `arith.ceildivui`
    pub const CEILDIVUI: OpCode = OpCode::ArithCeildivui;
    /// `arith.cmpf`
    pub const CMPF: OpCode = OpCode::ArithCmpf;
    /// `arith.cmpi`
    pub const CMPI: OpCode = OpCode::ArithCmpi;
    /// `arith.constant`
    pub const CONSTANT: OpCode = OpCode::ArithConstant;
    /// `arith.divf`
    pub const DIVF: OpCode = OpCode::ArithDivf;
    /// `arith.divsi`
    pub const DIVSI: OpCode = OpCode::ArithDivsi;
    /// `arith.divui`
    pub const DIVUI: OpCode = OpCode::ArithDivui;
    /// `arith.extf`
    pub const EXTF: OpCode = OpCode::ArithExtf;
    /// `arith.extsi`
    pub const EXTSI: OpCode = OpCode::ArithExtsi;
    /// `arith.extui`
    pub const EXTUI: OpCode = OpCode::ArithExtui;
    /// `arith.floordivsi`
    pub const FLOORDIVSI: OpCode = OpCode::ArithFloordivsi;
    /// `arith.fptosi`
    pub const FPTOSI: OpCode = OpCode::ArithFptosi;
    /// `arith.fptoui`
    pub const FPTOUI: OpCode = OpCode::ArithFptoui;
    /// `arith.index_cast`
    pub const INDEX_CAST: OpCode = OpCode::ArithIndexCast;
    /// `arith.index_castui`
    pub const INDEX_CASTUI: OpCode = OpCode::ArithIndexCastui;
    /// `arith.maximumf`
    pub const MAXIMUMF: OpCode = OpCode::ArithMaximumf;
    /// `arith.maxnumf`
    pub const MAXNUMF: OpCode = OpCode::ArithMaxnumf;
    /// `arith.maxsi`
    pub const MAXSI: OpCode = OpCode::ArithMaxsi;
    /// `arith.maxui`
    pub const MAXUI: OpCode = OpCode::ArithMaxui;
    /// `arith.minimumf`
    pub const MINIMUMF: OpCode = OpCode::ArithMinimumf;
    /// `arith.minnumf`
    pub const MINNUMF: OpCode = OpCode::ArithMinnumf;
    /// `arith.minsi`
    pub const MINSI: OpCode = OpCode::ArithMinsi;
    /// `arith.minui`
    pub const MINUI: OpCode = OpCode::ArithMinui;
    /// `arith.mulf`
    pub const MULF: OpCode = OpCode::ArithMulf;
    /// `arith.muli`
    pub const MULI: OpCode = OpCode::ArithMuli;
    /// `arith.mulsi_extended`
    pub const MULSI_EXTENDED: OpCode = OpCode::ArithMulsiExtended;
    /// `arith.mului_extended`
    pub const MULUI_EXTENDED: OpCode = OpCode::ArithMuluiExtended;
    /// `arith.negf`
    pub const NEGF: OpCode = OpCode::ArithNegf;
    /// `arith.ori`
    pub const ORI: OpCode = OpCode::ArithOri;
    /// `arith.remf`
    pub const REMF: OpCode = OpCode::ArithRemf;
    /// `arith.remsi`
    pub const REMSI: OpCode = OpCode::ArithRemsi;
    /// `arith.remui`
    pub const REMUI: OpCode = OpCode::ArithRemui;
    /// `arith.select`
    pub const SELECT: OpCode = OpCode::ArithSelect;
    /// `arith.shli`
    pub const SHLI: OpCode = OpCode::ArithShli;
    /// `arith.shrsi`
    pub const SHRSI: OpCode = OpCode::ArithShrsi;
    /// `arith.shrui`
    pub const SHRUI: OpCode = OpCode::ArithShrui;
    /// `arith.sitofp`
    pub const SITOFP: OpCode = OpCode::ArithSitofp;
    /// `arith.subf`
    pub const SUBF: OpCode = OpCode::ArithSubf;
    /// `arith.subi`
    pub const SUBI: OpCode = OpCode::ArithSubi;
    /// `arith.truncf`
    pub const TRUNCF: OpCode = OpCode::ArithTruncf;
    /// `arith.trunci`
    pub const TRUNCI: OpCode = OpCode::ArithTrunci;
    /// `arith.uitofp`
    pub const UITOFP: OpCode = OpCode::ArithUitofp;
    /// `arith.xori`
    pub const XORI: OpCode = OpCode::ArithXori;
}

pub(crate) mod builtin {
    use super::OpCode;
    /// `builtin.module`
    pub const MODULE: OpCode = OpCode::BuiltinModule;
    /// `builtin.unrealized_conversion_cast`
    pub const UNREALIZED_CONVERSION_CAST: OpCode = OpCode::BuiltinUnrealizedConversionCast;
}

pub(crate) mod cf {
    use super::OpCode;
    /// `cf.assert`
    pub const ASSERT: OpCode = OpCode::CfAssert;
    /// `cf.br`
    pub const BR: OpCode = OpCode::CfBr;
    /// `cf.cond_br`
    pub const COND_BR: OpCode = OpCode::CfCondBr;
    /// `cf.switch`
    pub const SWITCH: OpCode = OpCode::CfSwitch;
}

pub(crate) mod func {
    use super::OpCode;
    /// `func.call`
    pub const CALL: OpCode = OpCode::FuncCall;
    /// `func.func`
    pub const FUNC: OpCode = OpCode::FuncFunc;
    /// `func.return`
    pub const RETURN: OpCode = OpCode::FuncReturn;
}

pub(crate) mod linalg {
    use super::OpCode;
    /// `linalg.fill`
    pub const FILL: OpCode = OpCode::LinalgFill;
    /// `linalg.generic`
    pub const GENERIC: OpCode = OpCode::LinalgGeneric;
    /// `linalg.index`
    pub const INDEX: OpCode = OpCode::LinalgIndex;
    /// `linalg.pack`
    pub const PACK: OpCode = OpCode::LinalgPack;
    /// `linalg.unpack`
    pub const UNPACK: OpCode = OpCode::LinalgUnpack;
    /// `linalg.yield`
    pub const YIELD: OpCode = OpCode::LinalgYield;
}

pub(crate) mod math {
    use super::OpCode;
    /// `math.absf`
    pub const ABSF: OpCode = OpCode::MathAbsf;
    /// `math.absi`
    pub const ABSI: OpCode = OpCode::MathAbsi;
    /// `math.acos`
    pub const ACOS: OpCode = OpCode::MathAcos;
    /// `math.acosh`
    pub const ACOSH: OpCode = OpCode::MathAcosh;
    /// `math.asin`
    pub const ASIN: OpCode = OpCode::MathAsin;
    /// `math.asinh`
    pub const ASINH: OpCode = OpCode::MathAsinh;
    /// `math.atan`
    pub const ATAN: OpCode = OpCode::MathAtan;
    /// `math.atan2`
    pub const ATAN2: OpCode = OpCode::MathAtan2;
    /// `math.atanh`
    pub const ATANH: OpCode = OpCode::MathAtanh;
    /// `math.cbrt`
    pub const CBRT: OpCode = OpCode::MathCbrt;
    /// `math.ceil`
    pub const CEIL: OpCode = OpCode::MathCeil;
    /// `math.clampf`
    pub const CLAMPF: OpCode = OpCode::MathClampf;
    /// `math.copysign`
    pub const COPYSIGN: OpCode = OpCode::MathCopysign;
    /// `math.cos`
    pub const COS: OpCode = OpCode::MathCos;
    /// `math.cosh`
    pub const COSH: OpCode = OpCode::MathCosh;
    /// `math.ctlz`
    pub const CTLZ: OpCode = OpCode::MathCtlz;
    /// `math.ctpop`
    pub const CTPOP: OpCode = OpCode::MathCtpop;
    /// `math.cttz`
    pub const CTTZ: OpCode = OpCode::MathCttz;
    /// `math.erf`
    pub const ERF: OpCode = OpCode::MathErf;
    /// `math.erfc`
    pub const ERFC: OpCode = OpCode::MathErfc;
    /// `math.exp`
    pub const EXP: OpCode = OpCode::MathExp;
    /// `math.exp2`
    pub const EXP2: OpCode = OpCode::MathExp2;
    /// `math.expm1`
    pub const EXPM1: OpCode = OpCode::MathExpm1;
    /// `math.floor`
    pub const FLOOR: OpCode = OpCode::MathFloor;
    /// `math.fma`
    pub const FMA: OpCode = OpCode::MathFma;
    /// `math.fpowi`
    pub const FPOWI: OpCode = OpCode::MathFpowi;
    /// `math.ipowi`
    pub const IPOWI: OpCode = OpCode::MathIpowi;
    /// `math.isfinite`
    pub const ISFINITE: OpCode = OpCode::MathIsfinite;
    /// `math.isinf`
    pub const ISINF: OpCode = OpCode::MathIsinf;
    /// `math.isnan`
    pub const ISNAN: OpCode = OpCode::MathIsnan;
    /// `math.isnormal`
    pub const ISNORMAL: OpCode = OpCode::MathIsnormal;
    /// `math.log`
    pub const LOG: OpCode = OpCode::MathLog;
    /// `math.log10`
    pub const LOG10: OpCode = OpCode::MathLog10;
    /// `math.log1p`
    pub const LOG1P: OpCode = OpCode::MathLog1p;
    /// `math.log2`
    pub const LOG2: OpCode = OpCode::MathLog2;
    /// `math.powf`
    pub const POWF: OpCode = OpCode::MathPowf;
    /// `math.round`
    pub const ROUND: OpCode = OpCode::MathRound;
    /// `math.roundeven`
    pub const ROUNDEVEN: OpCode = OpCode::MathRoundeven;
    /// `math.rsqrt`
    pub const RSQRT: OpCode = OpCode::MathRsqrt;
    /// `math.sin`
    pub const SIN: OpCode = OpCode::MathSin;
    /// `math.sincos`
    pub const SINCOS: OpCode = OpCode::MathSincos;
    /// `math.sinh`
    pub const SINH: OpCode = OpCode::MathSinh;
    /// `math.sqrt`
    pub const SQRT: OpCode = OpCode::MathSqrt;
    /// `math.tan`
    pub const TAN: OpCode = OpCode::MathTan;
    /// `math.tanh`
    pub const TANH: OpCode = OpCode::MathTanh;
    /// `math.trunc`
    pub const TRUNC: OpCode = OpCode::MathTrunc;
}

pub(crate) mod memref {
    use super::OpCode;
    /// `memref.alloc`
    pub const ALLOC: OpCode = OpCode::MemrefAlloc;
    /// `memref.alloca`
    pub const ALLOCA: OpCode = OpCode::MemrefAlloca;
    /// `memref.cast`
    pub const CAST: OpCode = OpCode::MemrefCast;
    /// `memref.collapse_shape`
    pub const COLLAPSE_SHAPE: OpCode = OpCode::MemrefCollapseShape;
    /// `memref.copy`
    pub const COPY: OpCode = OpCode::MemrefCopy;
    /// `memref.dealloc`
    pub const DEALLOC: OpCode = OpCode::MemrefDealloc;
    /// `memref.dim`
    pub const DIM: OpCode = OpCode::MemrefDim;
    /// `memref.expand_shape`
    pub const EXPAND_SHAPE: OpCode = OpCode::MemrefExpandShape;
    /// `memref.extract_aligned_pointer_as_index`
    pub const EXTRACT_ALIGNED_POINTER_AS_INDEX: OpCode = OpCode::MemrefExtractAlignedPointerAsIndex;
    /// `memref.get_global`
    pub const GET_GLOBAL: OpCode = OpCode::MemrefGetGlobal;
    /// `memref.global`
    pub const GLOBAL: OpCode = OpCode::MemrefGlobal;
    /// `memref.load`
    pub const LOAD: OpCode = OpCode::MemrefLoad;
    /// `memref.reinterpret_cast`
    pub const REINTERPRET_CAST: OpCode = OpCode::MemrefReinterpretCast;
    /// `memref.store`
    pub const STORE: OpCode = OpCode::MemrefStore;
    /// `memref.subview`
    pub const SUBVIEW: OpCode = OpCode::MemrefSubview;
    /// `memref.view`
    pub const VIEW: OpCode = OpCode::MemrefView;
}

pub(crate) mod ml_program {
    use super::OpCode;
    /// `ml_program.global`
    pub const GLOBAL: OpCode = OpCode::MlProgramGlobal;
    /// `ml_program.global_load`
    pub const GLOBAL_LOAD: OpCode = OpCode::MlProgramGlobalLoad;
    /// `ml_program.global_store`
    pub const GLOBAL_STORE: OpCode = OpCode::MlProgramGlobalStore;
}

pub(crate) mod rt {
    use super::OpCode;
    /// `rt.address`
    pub const ADDRESS: OpCode = OpCode::RtAddress;
    /// `rt.append`
    pub const APPEND: OpCode = OpCode::RtAppend;
    /// `rt.bounds`
    pub const BOUNDS: OpCode = OpCode::RtBounds;
    /// `rt.buffer`
    pub const BUFFER: OpCode = OpCode::RtBuffer;
    /// `rt.call`
    pub const CALL: OpCode = OpCode::RtCall;
    /// `rt.contract`
    pub const CONTRACT: OpCode = OpCode::RtContract;
    /// `rt.contract_blocks`
    pub const CONTRACT_BLOCKS: OpCode = OpCode::RtContractBlocks;
    /// `rt.depthwise`
    pub const DEPTHWISE: OpCode = OpCode::RtDepthwise;
    /// `rt.load_address`
    pub const LOAD_ADDRESS: OpCode = OpCode::RtLoadAddress;
    /// `rt.pack`
    pub const PACK: OpCode = OpCode::RtPack;
    /// `rt.parallel_for`
    pub const PARALLEL_FOR: OpCode = OpCode::RtParallelFor;
    /// `rt.unpack`
    pub const UNPACK: OpCode = OpCode::RtUnpack;
    /// `rt.winograd`
    pub const WINOGRAD: OpCode = OpCode::RtWinograd;
    /// `rt.winograd_tiles`
    pub const WINOGRAD_TILES: OpCode = OpCode::RtWinogradTiles;
}

pub(crate) mod scf {
    use super::OpCode;
    /// `scf.condition`
    pub const CONDITION: OpCode = OpCode::ScfCondition;
    /// `scf.for`
    pub const FOR: OpCode = OpCode::ScfFor;
    /// `scf.if`
    pub const IF: OpCode = OpCode::ScfIf;
    /// `scf.parallel`
    pub const PARALLEL: OpCode = OpCode::ScfParallel;
    /// `scf.reduce`
    pub const REDUCE: OpCode = OpCode::ScfReduce;
    /// `scf.reduce.return`
    pub const REDUCE_RETURN: OpCode = OpCode::ScfReduceReturn;
    /// `scf.while`
    pub const WHILE: OpCode = OpCode::ScfWhile;
    /// `scf.yield`
    pub const YIELD: OpCode = OpCode::ScfYield;
}

pub(crate) mod tensor {
    use super::OpCode;
    /// `tensor.bitcast`
    pub const BITCAST: OpCode = OpCode::TensorBitcast;
    /// `tensor.cast`
    pub const CAST: OpCode = OpCode::TensorCast;
    /// `tensor.collapse_shape`
    pub const COLLAPSE_SHAPE: OpCode = OpCode::TensorCollapseShape;
    /// `tensor.concat`
    pub const CONCAT: OpCode = OpCode::TensorConcat;
    /// `tensor.dim`
    pub const DIM: OpCode = OpCode::TensorDim;
    /// `tensor.empty`
    pub const EMPTY: OpCode = OpCode::TensorEmpty;
    /// `tensor.expand_shape`
    pub const EXPAND_SHAPE: OpCode = OpCode::TensorExpandShape;
    /// `tensor.extract`
    pub const EXTRACT: OpCode = OpCode::TensorExtract;
    /// `tensor.extract_slice`
    pub const EXTRACT_SLICE: OpCode = OpCode::TensorExtractSlice;
    /// `tensor.from_elements`
    pub const FROM_ELEMENTS: OpCode = OpCode::TensorFromElements;
    /// `tensor.generate`
    pub const GENERATE: OpCode = OpCode::TensorGenerate;
    /// `tensor.insert`
    pub const INSERT: OpCode = OpCode::TensorInsert;
    /// `tensor.insert_slice`
    pub const INSERT_SLICE: OpCode = OpCode::TensorInsertSlice;
    /// `tensor.pad`
    pub const PAD: OpCode = OpCode::TensorPad;
    /// `tensor.rank`
    pub const RANK: OpCode = OpCode::TensorRank;
    /// `tensor.reshape`
    pub const RESHAPE: OpCode = OpCode::TensorReshape;
    /// `tensor.splat`
    pub const SPLAT: OpCode = OpCode::TensorSplat;
    /// `tensor.yield`
    pub const YIELD: OpCode = OpCode::TensorYield;
}

pub(crate) mod vector {
    use super::OpCode;
    /// `vector.bitcast`
    pub const BITCAST: OpCode = OpCode::VectorBitcast;
    /// `vector.broadcast`
    pub const BROADCAST: OpCode = OpCode::VectorBroadcast;
    /// `vector.constant_mask`
    pub const CONSTANT_MASK: OpCode = OpCode::VectorConstantMask;
    /// `vector.create_mask`
    pub const CREATE_MASK: OpCode = OpCode::VectorCreateMask;
    /// `vector.extract`
    pub const EXTRACT: OpCode = OpCode::VectorExtract;
    /// `vector.fma`
    pub const FMA: OpCode = OpCode::VectorFma;
    /// `vector.from_elements`
    pub const FROM_ELEMENTS: OpCode = OpCode::VectorFromElements;
    /// `vector.gather`
    pub const GATHER: OpCode = OpCode::VectorGather;
    /// `vector.insert`
    pub const INSERT: OpCode = OpCode::VectorInsert;
    /// `vector.load`
    pub const LOAD: OpCode = OpCode::VectorLoad;
    /// `vector.maskedload`
    pub const MASKEDLOAD: OpCode = OpCode::VectorMaskedload;
    /// `vector.maskedstore`
    pub const MASKEDSTORE: OpCode = OpCode::VectorMaskedstore;
    /// `vector.reduction`
    pub const REDUCTION: OpCode = OpCode::VectorReduction;
    /// `vector.shape_cast`
    pub const SHAPE_CAST: OpCode = OpCode::VectorShapeCast;
    /// `vector.shuffle`
    pub const SHUFFLE: OpCode = OpCode::VectorShuffle;
    /// `vector.step`
    pub const STEP: OpCode = OpCode::VectorStep;
    /// `vector.store`
    pub const STORE: OpCode = OpCode::VectorStore;
}
