// A screen is loaded when it is opened, and with it the words that it says beside the first load's.

import { type ComponentType, lazy } from 'react'
import { type Area, speakOf } from '../words/translate.ts'

type Load<Props> = () => Promise<Readonly<{ default: ComponentType<Props> }>>

/** Both come at once; a screen is not drawn before its words are there. */
export const screen = <Props>(load: Load<Props>, areas: readonly Area[] = ['screens']) =>
  lazy(async () => {
    const [module] = await Promise.all([load(), speakOf(areas)])
    return module
  })
