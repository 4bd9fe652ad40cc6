// The refusal of a caller whose minute is used up: a 429 still shows their limits.

import { Refusal } from '../platform/errors.ts'
import type { Rate } from '../platform/http/route.ts'
import { accessErrors } from '../platform/http/transport-errors.ts'

export class RateLimited extends Refusal {
  readonly rate: Rate

  constructor(rate: Rate) {
    super(accessErrors.rate_limited, { retry_after_s: rate.reset_s })
    this.rate = rate
  }
}
