// Which weeks and months of a report's period are in it in part alone: those are not called by the
// name of the whole.

import { dayBeside, daysBefore } from '../../format/moment.ts'

/** Days as `2026-11-22`; `to` is the last one of the period. */
export type Span = Readonly<{ step: 'hour' | 'day' | 'week' | 'month'; to: string }>

const isMonday = (day: string): boolean => new Date(day).getUTCDay() === 1

/** Whether the period begins within the week or month whose point has this day. */
export const beginsWithin = (step: Span['step'], date: string): boolean =>
  step === 'month' ? !date.endsWith('-01') : step === 'week' && !isMonday(date)

/** Whether the period ends within it. */
export function endsWithin({ step, to }: Span, date: string): boolean {
  if (step === 'month') {
    const month = to.slice(0, 7)
    return date.startsWith(month) && dayBeside(to, 1).startsWith(month)
  }
  return step === 'week' && !isMonday(dayBeside(to, 1)) && date > daysBefore(to, 6)
}
