// The exponent e of a finite number that is not 0, which is m * 2^(e - 1075) with m from 2^52 on.
func.func private @rt_exponent(%bits: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c52 = arith.constant 52 : i64
  %exponents = arith.constant 2047 : i64
  %hidden = arith.constant 4503599627370496 : i64
  %fractions = arith.constant 4503599627370495 : i64
  %high = arith.shrui %bits, %c52 : i64
  %exponent = arith.andi %high, %exponents : i64
  %is_subnormal = arith.cmpi eq, %exponent, %zero : i64
  %result = scf.if %is_subnormal -> (i64) {
    %fraction = arith.andi %bits, %fractions : i64
    %normal:2 = scf.while (%low = %fraction, %scale = %one) : (i64, i64) -> (i64, i64) {
      %is_low = arith.cmpi ult, %low, %hidden : i64
      scf.condition(%is_low) %low, %scale : i64, i64
    } do {
    ^bb0(%low: i64, %scale: i64):
      %doubled = arith.shli %low, %one : i64
      %less = arith.subi %scale, %one : i64
      scf.yield %doubled, %less : i64, i64
    }
    scf.yield %normal#1 : i64
  } else {
    scf.yield %exponent : i64
  }
  return %result : i64
}

// That m. Only a subnormal number has an exponent below 1.
func.func private @rt_significand(%bits: i64, %exponent: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %hidden = arith.constant 4503599627370496 : i64
  %fractions = arith.constant 4503599627370495 : i64
  %fraction = arith.andi %bits, %fractions : i64
  %is_subnormal = arith.cmpi slt, %exponent, %one : i64
  %below = arith.subi %one, %exponent : i64
  %shift = arith.select %is_subnormal, %below, %zero : i64
  %raised = arith.shli %fraction, %shift : i64
  %significand = arith.ori %raised, %hidden : i64
  return %significand : i64
}

// The remainder of a division whose quotient is rounded towards 0; exact, by long division in base 2.
func.func private @rt_fmod_f64(%x: f64, %y: f64) -> f64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c52 = arith.constant 52 : i64
  %bias = arith.constant 1023 : i64
  %least = arith.constant 1075 : i64
  %magnitudes = arith.constant 9223372036854775807 : i64
  %infinity = arith.constant 9218868437227405312 : i64
  %x_bits = arith.bitcast %x : f64 to i64
  %y_bits = arith.bitcast %y : f64 to i64
  %x_size = arith.andi %x_bits, %magnitudes : i64
  %y_size = arith.andi %y_bits, %magnitudes : i64
  %x_is_finite = arith.cmpi ult, %x_size, %infinity : i64
  %y_is_number = arith.cmpi ule, %y_size, %infinity : i64
  %y_is_not_zero = arith.cmpi ne, %y_size, %zero : i64
  %a = arith.andi %x_is_finite, %y_is_number : i1
  %is_defined = arith.andi %a, %y_is_not_zero : i1
  %is_less = arith.cmpi ult, %x_size, %y_size : i64
  %result = scf.if %is_defined -> (f64) {
    %rest = scf.if %is_less -> (f64) {
      scf.yield %x : f64
    } else {
      %p_exponent = func.call @rt_exponent(%x_bits) : (i64) -> i64
      %q_exponent = func.call @rt_exponent(%y_bits) : (i64) -> i64
      %p = func.call @rt_significand(%x_bits, %p_exponent) : (i64, i64) -> i64
      %q = func.call @rt_significand(%y_bits, %q_exponent) : (i64, i64) -> i64
      %steps = arith.subi %p_exponent, %q_exponent : i64
      %divided:2 = scf.while (%m = %p, %left = %steps) : (i64, i64) -> (i64, i64) {
        %goes_on = arith.cmpi ne, %left, %zero : i64
        scf.condition(%goes_on) %m, %left : i64, i64
      } do {
      ^bb0(%m: i64, %left: i64):
        %fits = arith.cmpi uge, %m, %q : i64
        %difference = arith.subi %m, %q : i64
        %kept = arith.select %fits, %difference, %m : i64
        %doubled = arith.shli %kept, %one : i64
        %fewer = arith.subi %left, %one : i64
        scf.yield %doubled, %fewer : i64, i64
      }
      %fits = arith.cmpi uge, %divided#0, %q : i64
      %difference = arith.subi %divided#0, %q : i64
      %m = arith.select %fits, %difference, %divided#0 : i64
      // scaled by two powers, so that neither is subnormal
      %scale = arith.subi %q_exponent, %least : i64
      %first = arith.shrsi %scale, %one : i64
      %second = arith.subi %scale, %first : i64
      %first_biased = arith.addi %first, %bias : i64
      %second_biased = arith.addi %second, %bias : i64
      %first_bits = arith.shli %first_biased, %c52 : i64
      %second_bits = arith.shli %second_biased, %c52 : i64
      %first_power = arith.bitcast %first_bits : i64 to f64
      %second_power = arith.bitcast %second_bits : i64 to f64
      %whole = arith.sitofp %m : i64 to f64
      %half = arith.mulf %whole, %first_power : f64
      %size = arith.mulf %half, %second_power : f64
      %signed = math.copysign %size, %x : f64
      scf.yield %signed : f64
    }
    scf.yield %rest : f64
  } else {
    %product = arith.mulf %x, %y : f64
    %nan = arith.divf %product, %product : f64
    scf.yield %nan : f64
  }
  return %result : f64
}

func.func private @rt_fmod_f32(%x: f32, %y: f32) -> f32 {
  %wide_x = arith.extf %x : f32 to f64
  %wide_y = arith.extf %y : f32 to f64
  %wide = func.call @rt_fmod_f64(%wide_x, %wide_y) : (f64, f64) -> f64
  %result = arith.truncf %wide : f64 to f32
  return %result : f32
}
