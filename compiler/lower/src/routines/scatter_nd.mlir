func.func private @$name(%context: index, %table: index, %count: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %false = arith.constant false
  %words = "rt.buffer"(%table) : (index) -> memref<?xi64>
  %picks = func.call @rt_after(%words, %c0) : (memref<?xi64>, index) -> index
  %updates = func.call @rt_after(%words, %picks) : (memref<?xi64>, index) -> index
  %at_reduction = func.call @rt_after(%words, %updates) : (memref<?xi64>, index) -> index
  %result = arith.addi %at_reduction, %c1 : index
  %reduction = func.call @rt_word(%words, %at_reduction) : (memref<?xi64>, index) -> index
  %at_rank = arith.addi %result, %c1 : index
  %at_picks_rank = arith.addi %picks, %c1 : index
  %at_updates_rank = arith.addi %updates, %c1 : index
  %rank = func.call @rt_word(%words, %at_rank) : (memref<?xi64>, index) -> index
  %picks_rank = func.call @rt_word(%words, %at_picks_rank) : (memref<?xi64>, index) -> index
  %updates_rank = func.call @rt_word(%words, %at_updates_rank) : (memref<?xi64>, index) -> index
  %begun = func.call @rt_begin_$type0(%words, %c0, %result) : (memref<?xi64>, index, index) -> i1
  %has_depth = arith.cmpi ne, %picks_rank, %c0 : index
  %possible = arith.andi %has_depth, %begun : i1
  // the number of indexed axes, and of those that remain
  %depths:3 = scf.if %possible -> (index, index, i1) {
    %outer = arith.subi %picks_rank, %c1 : index
    %depth = func.call @rt_extent(%words, %picks, %outer) : (memref<?xi64>, index, index) -> index
    %enough = arith.cmpi ule, %depth, %rank : index
    %rest = arith.subi %rank, %depth : index
    %expected = arith.addi %outer, %rest : index
    %same_rank = arith.cmpi eq, %expected, %updates_rank : index
    %comparable = arith.andi %enough, %same_rank : i1
    %fits = scf.if %comparable -> (i1) {
      %tuples = func.call @rt_same_extents(%words, %picks, %c0, %updates, %c0, %outer) : (memref<?xi64>, index, index, index, index, index) -> i1
      %slices = func.call @rt_same_extents(%words, %result, %depth, %updates, %outer, %rest) : (memref<?xi64>, index, index, index, index, index) -> i1
      %both = arith.andi %tuples, %slices : i1
      scf.yield %both : i1
    } else {
      scf.yield %false : i1
    }
    scf.yield %depth, %outer, %fits : index, index, i1
  } else {
    scf.yield %c0, %c0, %false : index, index, i1
  }
  %done = arith.constant 0 : i64
  %outside = arith.constant 1 : i64
  %no_fit = arith.constant 2 : i64
  %failure = scf.if %depths#2 -> (i64) {
    %from = func.call @rt_address(%words, %picks) : (memref<?xi64>, index) -> index
    %new = func.call @rt_address(%words, %updates) : (memref<?xi64>, index) -> index
    %to = func.call @rt_address(%words, %result) : (memref<?xi64>, index) -> index
    %indices = "rt.buffer"(%from) : (index) -> memref<?x$type1>
    %values = "rt.buffer"(%new) : (index) -> memref<?x$type0>
    %elements = "rt.buffer"(%to) : (index) -> memref<?x$type0>
    %tuples = func.call @rt_product(%words, %picks, %c0, %depths#1) : (memref<?xi64>, index, index, index) -> index
    %run = func.call @rt_product(%words, %result, %depths#0, %rank) : (memref<?xi64>, index, index, index) -> index
    %failed = scf.for %tuple = %c0 to %tuples step %c1 iter_args(%so_far = %done) -> (i64) {
      %first_index = arith.muli %tuple, %depths#0 : index
      %slice:2 = scf.for %axis = %c0 to %depths#0 step %c1 iter_args(%number = %c0, %all = %true) -> (index, i1) {
        %at = arith.addi %first_index, %axis : index
        %word = memref.load %indices[%at] : memref<?x$type1>
        %index = arith.index_cast %word : $type1 to index
        %extent = func.call @rt_extent(%words, %result, %axis) : (memref<?xi64>, index, index) -> index
        %place = func.call @rt_place(%index, %extent) : (index, index) -> index
        %inside = arith.cmpi ult, %place, %extent : index
        %before = arith.muli %number, %extent : index
        %next_number = arith.addi %before, %place : index
        %next_all = arith.andi %all, %inside : i1
        scf.yield %next_number, %next_all : index, i1
      }
      %is_empty = arith.cmpi eq, %run, %c0 : index
      %allowed = arith.ori %slice#1, %is_empty : i1
      %next = scf.if %allowed -> (i64) {
        %target = arith.muli %slice#0, %run : index
        %source = arith.muli %tuple, %run : index
        scf.for %at = %c0 to %run step %c1 {
          %to_at = arith.addi %target, %at : index
          %from_at = arith.addi %source, %at : index
          %update = memref.load %values[%from_at] : memref<?x$type0>
          %element = memref.load %elements[%to_at] : memref<?x$type0>
          %joined = func.call @rt_joined_$kind0(%reduction, %element, %update) : (index, $type0, $type0) -> $type0
          memref.store %joined, %elements[%to_at] : memref<?x$type0>
        }
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
