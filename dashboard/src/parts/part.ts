// What comes beside a screen that is open, with the words that it says: loaded once it is needed.

import { type ComponentType, lazy } from 'react'
import { loadTwice } from '../data/load.ts'
import { type Area, speakOf } from '../words/translate.ts'

export type Load<Props> = () => Promise<Readonly<{ default: ComponentType<Props> }>>

/** Both come at once; nothing is drawn before its words are there. */
export const whole =
  <Props>(load: Load<Props>, areas: readonly Area[]) =>
  async () => {
    const [module] = await Promise.all([loadTwice(load), speakOf(areas)])
    return module
  }

/** Without it, the screen stays as it is. */
export const part = <Props>(load: Load<Props>, areas: readonly Area[] = ['screens']) =>
  lazy(whole(load, areas))
