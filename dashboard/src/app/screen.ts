// A screen is loaded when it is opened, and with it the words that it says beside the first load's.

import { type ComponentType, lazy } from 'react'
import { loadScreen, loadTwice } from '../data/load.ts'
import { type Area, speakOf } from '../words/translate.ts'

type Load<Props> = () => Promise<Readonly<{ default: ComponentType<Props> }>>

/** Both come at once; a screen is not drawn before its words are there. */
const whole =
  <Props>(load: Load<Props>, areas: readonly Area[]) =>
  async () => {
    const [module] = await Promise.all([loadTwice(load), speakOf(areas)])
    return module
  }

export const screen = <Props>(load: Load<Props>, areas: readonly Area[] = ['screens']) =>
  lazy(() => loadScreen(whole(load, areas)))

/** What comes beside a screen that is open: without it, that one stays as it is. */
export const part = <Props>(load: Load<Props>, areas: readonly Area[] = ['screens']) =>
  lazy(whole(load, areas))
