func.func private @$name(%context: index, %table: index, %count: index) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %words = "rt.buffer"(%table) : (index) -> memref<?xi64>
  %keys = func.call @rt_after(%words, %c0) : (memref<?xi64>, index) -> index
  %values = func.call @rt_after(%words, %keys) : (memref<?xi64>, index) -> index
  %default = func.call @rt_after(%words, %values) : (memref<?xi64>, index) -> index
  %result = func.call @rt_after(%words, %default) : (memref<?xi64>, index) -> index
  %at_keys_rank = arith.addi %keys, %c1 : index
  %at_values_rank = arith.addi %values, %c1 : index
  %at_default_rank = arith.addi %default, %c1 : index
  %rank = func.call @rt_word(%words, %c1) : (memref<?xi64>, index) -> index
  %keys_rank = func.call @rt_word(%words, %at_keys_rank) : (memref<?xi64>, index) -> index
  %values_rank = func.call @rt_word(%words, %at_values_rank) : (memref<?xi64>, index) -> index
  %default_rank = func.call @rt_word(%words, %at_default_rank) : (memref<?xi64>, index) -> index
  %total = func.call @rt_product(%words, %c0, %c0, %rank) : (memref<?xi64>, index, index, index) -> index
  %key_count = func.call @rt_product(%words, %keys, %c0, %keys_rank) : (memref<?xi64>, index, index, index) -> index
  %value_count = func.call @rt_product(%words, %values, %c0, %values_rank) : (memref<?xi64>, index, index, index) -> index
  %default_count = func.call @rt_product(%words, %default, %c0, %default_rank) : (memref<?xi64>, index, index, index) -> index
  %has_values = arith.cmpi ule, %key_count, %value_count : index
  %has_default = arith.cmpi eq, %default_count, %c1 : index
  %fits = arith.andi %has_values, %has_default : i1
  %failure = scf.if %fits -> (i64) {
    %from = func.call @rt_address(%words, %c0) : (memref<?xi64>, index) -> index
    %known = func.call @rt_address(%words, %keys) : (memref<?xi64>, index) -> index
    %given = func.call @rt_address(%words, %values) : (memref<?xi64>, index) -> index
    %other = func.call @rt_address(%words, %default) : (memref<?xi64>, index) -> index
    %to = func.call @rt_address(%words, %result) : (memref<?xi64>, index) -> index
    %x = "rt.buffer"(%from) : (index) -> memref<?x$type0>
    %k = "rt.buffer"(%known) : (index) -> memref<?x$type1>
    %v = "rt.buffer"(%given) : (index) -> memref<?x$type2>
    %d = "rt.buffer"(%other) : (index) -> memref<?x$type2>
    %y = "rt.buffer"(%to) : (index) -> memref<?x$type2>
    %otherwise = memref.load %d[%c0] : memref<?x$type2>
    scf.for %at = %c0 to %total step %c1 {
      %element = memref.load %x[%at] : memref<?x$type0>
      %element_is_nan = $nan0, %element, %element : $type0
      // the first key that is equal, or the number of keys
      %place = scf.while (%next = %c0) : (index) -> index {
        %is_left = arith.cmpi ult, %next, %key_count : index
        %goes_on = scf.if %is_left -> (i1) {
          %key = memref.load %k[%next] : memref<?x$type1>
          %key_is_nan = $nan1, %key, %key : $type1
          %is_equal = $eq0, %element, %key : $type0
          %are_nan = arith.andi %element_is_nan, %key_is_nan : i1
          %is_found = arith.ori %is_equal, %are_nan : i1
          %true = arith.constant true
          %is_other = arith.xori %is_found, %true : i1
          scf.yield %is_other : i1
        } else {
          %false = arith.constant false
          scf.yield %false : i1
        }
        scf.condition(%goes_on) %next : index
      } do {
      ^bb0(%next: index):
        %following = arith.addi %next, %c1 : index
        scf.yield %following : index
      }
      %is_found = arith.cmpi ult, %place, %key_count : index
      %value = scf.if %is_found -> ($type2) {
        %found = memref.load %v[%place] : memref<?x$type2>
        scf.yield %found : $type2
      } else {
        scf.yield %otherwise : $type2
      }
      memref.store %value, %y[%at] : memref<?x$type2>
    }
    %done = arith.constant 0 : i64
    scf.yield %done : i64
  } else {
    %no_value = arith.constant 1 : i64
    scf.yield %no_value : i64
  }
  return %failure : i64
}
