// Every scene whose statements server/statements.sql shows, in the order in which it shows them.

import { moneyScenes } from './money-scenes.ts'
import { noticeScenes } from './notice-scenes.ts'
import { paymentScenes } from './payment-scenes.ts'
import { peopleScenes } from './people-scenes.ts'
import type { Told } from './stage.ts'

export const scenes: readonly Told[] = [
  ...paymentScenes,
  ...noticeScenes,
  ...moneyScenes,
  ...peopleScenes,
]
