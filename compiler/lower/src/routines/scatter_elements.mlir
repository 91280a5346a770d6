func.func private @$name(%context: index, %table: index, %count: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %true = arith.constant true
  %words = "rt.buffer"(%table) : (index) -> memref<?xi64>
  %picks = func.call @rt_after(%words, %c0) : (memref<?xi64>, index) -> index
  %updates = func.call @rt_after(%words, %picks) : (memref<?xi64>, index) -> index
  %at_axis = func.call @rt_after(%words, %updates) : (memref<?xi64>, index) -> index
  %at_reduction = arith.addi %at_axis, %c1 : index
  %result = arith.addi %at_axis, %c2 : index
  %axis = func.call @rt_word(%words, %at_axis) : (memref<?xi64>, index) -> index
  %reduction = func.call @rt_word(%words, %at_reduction) : (memref<?xi64>, index) -> index
  %at_rank = arith.addi %result, %c1 : index
  %at_picks_rank = arith.addi %picks, %c1 : index
  %at_updates_rank = arith.addi %updates, %c1 : index
  %rank = func.call @rt_word(%words, %at_rank) : (memref<?xi64>, index) -> index
  %picks_rank = func.call @rt_word(%words, %at_picks_rank) : (memref<?xi64>, index) -> index
  %updates_rank = func.call @rt_word(%words, %at_updates_rank) : (memref<?xi64>, index) -> index
  %total = func.call @rt_product(%words, %picks, %c0, %picks_rank) : (memref<?xi64>, index, index, index) -> index
  %begun = func.call @rt_begin_$type0(%words, %c0, %result) : (memref<?xi64>, index, index) -> i1
  %same_rank = arith.cmpi eq, %rank, %picks_rank : index
  %same_ranks = arith.cmpi eq, %picks_rank, %updates_rank : index
  %is_axis = arith.cmpi ult, %axis, %rank : index
  %a = arith.andi %same_rank, %same_ranks : i1
  %b = arith.andi %a, %is_axis : i1
  %comparable = arith.andi %b, %begun : i1
  %fits = scf.if %comparable -> (i1) {
    %same = func.call @rt_same_extents(%words, %picks, %c0, %updates, %c0, %rank) : (memref<?xi64>, index, index, index, index, index) -> i1
    %inside = scf.for %at = %c0 to %rank step %c1 iter_args(%so_far = %true) -> (i1) {
      %pick = func.call @rt_extent(%words, %picks, %at) : (memref<?xi64>, index, index) -> index
      %extent = func.call @rt_extent(%words, %result, %at) : (memref<?xi64>, index, index) -> index
      %less = arith.cmpi ule, %pick, %extent : index
      %indexed = arith.cmpi eq, %at, %axis : index
      %holds = arith.ori %less, %indexed : i1
      %next = arith.andi %so_far, %holds : i1
      scf.yield %next : i1
    }
    %is_empty = arith.cmpi eq, %total, %c0 : index
    %allowed = arith.ori %inside, %is_empty : i1
    %all = arith.andi %same, %allowed : i1
    scf.yield %all : i1
  } else {
    %false = arith.constant false
    scf.yield %false : i1
  }
  %done = arith.constant 0 : i64
  %outside = arith.constant 1 : i64
  %no_fit = arith.constant 2 : i64
  %failure = scf.if %fits -> (i64) {
    %from = func.call @rt_address(%words, %picks) : (memref<?xi64>, index) -> index
    %new = func.call @rt_address(%words, %updates) : (memref<?xi64>, index) -> index
    %to = func.call @rt_address(%words, %result) : (memref<?xi64>, index) -> index
    %indices = "rt.buffer"(%from) : (index) -> memref<?x$type1>
    %values = "rt.buffer"(%new) : (index) -> memref<?x$type0>
    %elements = "rt.buffer"(%to) : (index) -> memref<?x$type0>
    %extent = func.call @rt_extent(%words, %result, %axis) : (memref<?xi64>, index, index) -> index
    %failed = scf.for %number = %c0 to %total step %c1 iter_args(%so_far = %done) -> (i64) {
      %word = memref.load %indices[%number] : memref<?x$type1>
      %index = arith.index_cast %word : $type1 to index
      %place = func.call @rt_place(%index, %extent) : (index, index) -> index
      // the coordinates, from the last to the first
      %position:3 = scf.for %from_end = %c0 to %rank step %c1 iter_args(%offset = %c0, %rest = %number, %stride = %c1) -> (index, index, index) {
        %next_axis = arith.subi %rank, %from_end : index
        %at = arith.subi %next_axis, %c1 : index
        %pick = func.call @rt_extent(%words, %picks, %at) : (memref<?xi64>, index, index) -> index
        %size = func.call @rt_extent(%words, %result, %at) : (memref<?xi64>, index, index) -> index
        %coordinate = arith.remui %rest, %pick : index
        %others = arith.divui %rest, %pick : index
        %indexed = arith.cmpi eq, %at, %axis : index
        %chosen = arith.select %indexed, %place, %coordinate : index
        %distance = arith.muli %chosen, %stride : index
        %next_offset = arith.addi %offset, %distance : index
        %next_stride = arith.muli %stride, %size : index
        scf.yield %next_offset, %others, %next_stride : index, index, index
      }
      %inside = arith.cmpi ult, %place, %extent : index
      %next = scf.if %inside -> (i64) {
        %update = memref.load %values[%number] : memref<?x$type0>
        %element = memref.load %elements[%position#0] : memref<?x$type0>
        %joined = func.call @rt_joined_$kind0(%reduction, %element, %update) : (index, $type0, $type0) -> $type0
        memref.store %joined, %elements[%position#0] : memref<?x$type0>
        scf.yield %so_far : i64
      } else {
        scf.yield %outside : i64
      }
      scf.yield %next : i64
    }
    scf.yield %failed : i64
  } else {
    scf.yield %no_fit : i64
  }
  return %failure : i64
}
