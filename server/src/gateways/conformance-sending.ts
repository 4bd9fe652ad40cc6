// The suite's part on sending an order and querying it, with every way to lose the answer. Law:
// money moves at most once by one key, and only proof is called a refusal.

import { describe, expect, it } from 'vitest'
import {
  awaitingPayer,
  confirmed,
  lostBooks,
  nothing,
  notThere,
  once,
  paid,
  query,
  queryUntilEnded,
  refusedBooks,
  type Suite,
  send,
  sendForFailure,
  sendForRefusal,
  stillAwaiting,
  taken,
  waiting,
} from './conformance-bench.ts'
import type { Direction } from './gateway.ts'

export function describeSending(suite: Suite, direction: Direction): void {
  describe(direction, () => {
    it('is accepted as waiting, then confirmed when asked, with its amount, once', async () => {
      const { gateway, books, order } = suite.bench()
      const one = order('succeeds', direction)
      expect(await send(gateway, one)).toEqual(taken(suite, one))
      expect(await queryUntilEnded(gateway, one)).toEqual(paid(suite, one))
      expect(await books(one)).toEqual(once(one))
    })

    it('still waits when asked while its payer has done nothing', async () => {
      const { gateway, books, order } = suite.bench()
      const one = order('waits', direction)
      const answer = await send(gateway, one)
      expect(answer).toEqual(awaitingPayer(suite, one))
      expect(await query(gateway, one)).toEqual(stillAwaiting(suite, one))
      expect(await books(one)).toEqual({ orders: 1, debits: 0, hundredths: 0n })
    })

    it('is refused by the payer when the number has no account', async () => {
      const { books, order } = suite.bench()
      const one = order('refused_by_payer', direction)
      const named = direction === 'COLLECT' ? 'PAYER_NOT_FOUND' : 'RECIPIENT_NOT_FOUND'
      const { prepares, failures_are } = suite.declares
      const failure_code = failures_are ?? (prepares ? 'UNKNOWN' : named)
      const answer = await sendForRefusal(suite, one)
      expect(answer).toMatchObject({ is: 'refused', by: 'payer', failure_code })
      expect(await books(one)).toEqual(refusedBooks(suite))
    })

    it('is refused by the payer when the account turns out to be empty', async () => {
      const { books, order } = suite.bench()
      const one = order('fails', direction)
      const { payout_fails_with, failures_are = 'INSUFFICIENT_FUNDS' } = suite.declares
      const failure_code = (direction === 'DISBURSE' && payout_fails_with) || failures_are
      const answer = await sendForFailure(suite, one)
      expect(answer).toMatchObject({ is: 'refused', by: 'payer', failure_code })
      expect((await books(one)).debits).toBe(0)
    })

    itIsRefusedByItself(suite, direction)

    itNamesWhatMoved(suite, direction)

    it('is not found when it was never sent', async () => {
      const { gateway, order } = suite.bench()
      expect(await query(gateway, order('succeeds', direction))).toEqual(notThere(suite))
    })
  })
}

/** What it does not name, our question does: of any other sum it says nothing. */
function itNamesWhatMoved(suite: Suite, direction: Direction): void {
  if (suite.declares.asked_by_answer) {
    it('is confirmed with the amount of the question, and of no other', async () => {
      const { gateway, order } = suite.bench()
      const one = order('succeeds', direction)
      await send(gateway, one)
      expect(await queryUntilEnded(gateway, one)).toEqual(paid(suite, one))
      const other = await query(gateway, { ...one, amount: one.amount - 100n })
      expect(other).toMatchObject({ is: 'unknown' })
    })
    return
  }
  it('is confirmed with the amount that moved, be it the right one or not', async () => {
    const { gateway, books, order } = suite.bench()
    const one = order('other_amount', direction)
    await send(gateway, one)
    const answer = await queryUntilEnded(gateway, one)
    const { hundredths } = await books(one)
    expect(hundredths).not.toBe(one.amount)
    expect(answer).toEqual({ ...confirmed(one), amount: hundredths })
  })
}

/** Only this refusal lets another route be tried at once (money 1). */
function itIsRefusedByItself(suite: Suite, direction: Direction): void {
  it('is refused by the gateway itself when it is down', async () => {
    const { gateway, books, order } = suite.bench()
    const one = order('refused_by_gateway', direction)
    const { prepares, asked_by_answer } = suite.declares
    const isAtOnce = prepares || asked_by_answer
    const answer = isAtOnce ? await send(gateway, one) : await sendForRefusal(suite, one)
    const failure_code = isAtOnce ? 'GATEWAY_REFUSED' : 'GATEWAY_UNAVAILABLE'
    expect(answer).toMatchObject({ is: 'refused', by: 'gateway', failure_code })
    expect(await books(one)).toEqual(isAtOnce ? nothing : refusedBooks(suite))
  })
}

export function describeLosses(suite: Suite, direction: Direction): void {
  describe(`${direction}, when the answer is lost`, () => {
    it('was never sent when nobody listens', async () => {
      const { unreachable, books, order } = suite.bench()
      const one = order('succeeds', direction)
      expect(await send(unreachable, one)).toMatchObject({ is: 'never_sent' })
      const { prepares, asked_by_answer } = suite.declares
      const asked = prepares || asked_by_answer ? notThere(suite) : { is: 'never_sent' }
      expect(await query(unreachable, one)).toMatchObject(asked)
      expect(await books(one)).toEqual(nothing)
    })

    it.each(['answer_lost', 'answer_garbled'] as const)(
      'is unknown by %s, and paid once when asked, or by nobody',
      async (situation) => {
        const { gateway, books, order } = suite.bench()
        const one = order(situation, direction)
        const started_at = performance.now()
        expect(await send(gateway, one)).toMatchObject({ is: 'unknown' })
        // The caller's lease is the call's time-out and a margin: a longer call outlives it.
        const took_ms = performance.now() - started_at
        expect(took_ms).toBeLessThan(gateway.facts.call_timeout_ms + 2_000)
        const { asked_by_answer } = suite.declares
        const end = asked_by_answer ? notThere(suite) : confirmed(one)
        expect(await queryUntilEnded(gateway, one)).toEqual(end)
        expect(await books(one)).toEqual(lostBooks(suite, one))
      },
    )

    it('is unknown after a server error, and nobody says that it failed', async () => {
      const { gateway, books, order } = suite.bench()
      const one = order('server_error', direction)
      expect(await send(gateway, one)).toMatchObject({ is: 'unknown' })
      // What was prepared is there, and says nothing of the call that was lost.
      const left = direction === 'COLLECT' ? 'waiting' : 'unknown'
      const found = suite.declares.prepares ? { is: left } : notThere(suite)
      expect(await query(gateway, one)).toMatchObject(found)
      expect(await books(one)).toEqual(nothing)
    })

    const { create_is_idempotent, payout_is_idempotent = create_is_idempotent } = suite.declares
    if (direction === 'COLLECT' ? !create_is_idempotent : !payout_is_idempotent) return
    it('moves money once however often its key is sent, at once or when it is paid', async () => {
      const { gateway, books, order } = suite.bench()
      const one = order('succeeds', direction)
      const [first, ...others] = await Promise.all([1, 2, 3].map(() => send(gateway, one)))
      expect(first).toEqual(taken(suite, one))
      expect(others).toEqual([first, first])
      expect(await queryUntilEnded(gateway, one)).toEqual(confirmed(one))
      const late = suite.declares.replays_first_answer ? first : confirmed(one)
      expect(await send(gateway, one)).toEqual(late)
      expect(await books(one)).toEqual(once(one))
    })
  })
}

export function describeRedirect(suite: Suite): void {
  it('redirects the payer, and tells the same address again', async () => {
    const { gateway, books, order } = suite.bench()
    const one = order('redirects', 'COLLECT')
    const answer = await send(gateway, one)
    expect(answer).toEqual(waiting({ redirect_to: expect.stringMatching(/^https?:\/\/./) }))
    const asked = suite.declares.asked_by_answer ? stillAwaiting(suite, one) : answer
    expect(await query(gateway, one)).toEqual(asked)
    if (suite.declares.create_is_idempotent) expect(await send(gateway, one)).toEqual(answer)
    expect(await books(one)).toEqual({ orders: 1, debits: 0, hundredths: 0n })
  })
}
