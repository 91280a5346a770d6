// The initial contents of a scatter's result: those of a tensor, or copies of its only element. Fails if neither fits.
func.func private @rt_begin_$type0(%words: memref<?xi64>, %data: index, %result: index) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %at_rank = arith.addi %data, %c1 : index
  %at_result_rank = arith.addi %result, %c1 : index
  %rank = func.call @rt_word(%words, %at_rank) : (memref<?xi64>, index) -> index
  %result_rank = func.call @rt_word(%words, %at_result_rank) : (memref<?xi64>, index) -> index
  %total = func.call @rt_product(%words, %data, %c0, %rank) : (memref<?xi64>, index, index, index) -> index
  %result_total = func.call @rt_product(%words, %result, %c0, %result_rank) : (memref<?xi64>, index, index, index) -> index
  %from = func.call @rt_address(%words, %data) : (memref<?xi64>, index) -> index
  %to = func.call @rt_address(%words, %result) : (memref<?xi64>, index) -> index
  %x = "rt.buffer"(%from) : (index) -> memref<?x$type0>
  %y = "rt.buffer"(%to) : (index) -> memref<?x$type0>
  %is_whole = arith.cmpi eq, %total, %result_total : index
  %is_element = arith.cmpi eq, %total, %c1 : index
  %fits = arith.ori %is_whole, %is_element : i1
  %elsewhere = arith.cmpi ne, %from, %to : index
  %copies = arith.andi %fits, %elsewhere : i1
  scf.if %copies {
    scf.for %at = %c0 to %result_total step %c1 {
      %place = arith.select %is_whole, %at, %c0 : index
      %element = memref.load %x[%place] : memref<?x$type0>
      memref.store %element, %y[%at] : memref<?x$type0>
    }
  }
  return %fits : i1
}

// An element and an update, combined: 0 replaced, 1 added, 2 multiplied, 3 the greater, 4 the lesser; NaN if one is.
func.func private @rt_joined_$kind0(%reduction: index, %element: $type0, %update: $type0) -> $type0 {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %is_sum = arith.cmpi eq, %reduction, %c1 : index
  %is_product = arith.cmpi eq, %reduction, %c2 : index
  %is_greater = arith.cmpi eq, %reduction, %c3 : index
  %is_lesser = arith.cmpi eq, %reduction, %c4 : index
  %sum = $add0 %element, %update : $type0
  %product = $mul0 %element, %update : $type0
  %is_nan = $nan0, %element, %element : $type0
  %is_above = $le0, %update, %element : $type0
  %is_below = $le0, %element, %update : $type0
  %stays_greater = arith.ori %is_nan, %is_above : i1
  %stays_lesser = arith.ori %is_nan, %is_below : i1
  %greater = arith.select %stays_greater, %element, %update : $type0
  %lesser = arith.select %stays_lesser, %element, %update : $type0
  %a = arith.select %is_sum, %sum, %update : $type0
  %b = arith.select %is_product, %product, %a : $type0
  %c = arith.select %is_greater, %greater, %b : $type0
  %d = arith.select %is_lesser, %lesser, %c : $type0
  return %d : $type0
}
