// A screen is loaded when it is opened, and with it the words that it says beside the first load's.

import { lazy } from 'react'
import { loadScreen } from '../data/load.ts'
import { type Load, whole } from '../parts/part.ts'
import type { Area } from '../words/translate.ts'

export const screen = <Props>(load: Load<Props>, areas: readonly Area[] = ['screens']) =>
  lazy(() => loadScreen(whole(load, areas)))
