// What the definitions of routines share. A call passes a table of words (dialects/src/rt/routines.rs): a tensor is its
// element kind, its rank, its address and its extents.

// A word as an index.
func.func private @rt_word(%words: memref<?xi64>, %at: index) -> index {
  %word = memref.load %words[%at] : memref<?xi64>
  %index = arith.index_cast %word : i64 to index
  return %index : index
}

// The word after a tensor whose first word is given.
func.func private @rt_after(%words: memref<?xi64>, %tensor: index) -> index {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %at_rank = arith.addi %tensor, %c1 : index
  %rank = func.call @rt_word(%words, %at_rank) : (memref<?xi64>, index) -> index
  %extents = arith.addi %tensor, %c3 : index
  %after = arith.addi %extents, %rank : index
  return %after : index
}

// The address of a tensor.
func.func private @rt_address(%words: memref<?xi64>, %tensor: index) -> index {
  %c2 = arith.constant 2 : index
  %at = arith.addi %tensor, %c2 : index
  %address = func.call @rt_word(%words, %at) : (memref<?xi64>, index) -> index
  return %address : index
}

// The extent of an axis.
func.func private @rt_extent(%words: memref<?xi64>, %tensor: index, %axis: index) -> index {
  %c3 = arith.constant 3 : index
  %extents = arith.addi %tensor, %c3 : index
  %at = arith.addi %extents, %axis : index
  %extent = func.call @rt_word(%words, %at) : (memref<?xi64>, index) -> index
  return %extent : index
}

// The number of elements of a tensor's axes from one to before another.
func.func private @rt_product(%words: memref<?xi64>, %tensor: index, %from: index, %to: index) -> index {
  %c1 = arith.constant 1 : index
  %product = scf.for %axis = %from to %to step %c1 iter_args(%so_far = %c1) -> (index) {
    %extent = func.call @rt_extent(%words, %tensor, %axis) : (memref<?xi64>, index, index) -> index
    %next = arith.muli %so_far, %extent : index
    scf.yield %next : index
  }
  return %product : index
}

// Whether some axes of one tensor have the extents of as many axes of another.
func.func private @rt_same_extents(%words: memref<?xi64>, %a: index, %from_a: index, %b: index, %from_b: index, %count: index) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %same = scf.for %at = %c0 to %count step %c1 iter_args(%so_far = %true) -> (i1) {
    %axis_a = arith.addi %from_a, %at : index
    %axis_b = arith.addi %from_b, %at : index
    %extent_a = func.call @rt_extent(%words, %a, %axis_a) : (memref<?xi64>, index, index) -> index
    %extent_b = func.call @rt_extent(%words, %b, %axis_b) : (memref<?xi64>, index, index) -> index
    %equal = arith.cmpi eq, %extent_a, %extent_b : index
    %next = arith.andi %so_far, %equal : i1
    scf.yield %next : i1
  }
  return %same : i1
}

// An index, counted from the end of its axis if negative.
func.func private @rt_place(%index: index, %extent: index) -> index {
  %c0 = arith.constant 0 : index
  %is_negative = arith.cmpi slt, %index, %c0 : index
  %counted = arith.addi %index, %extent : index
  %place = arith.select %is_negative, %counted, %index : index
  return %place : index
}
