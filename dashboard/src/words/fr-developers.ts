// What the screens of developers say, in French.

import { developers } from './fr/developers.ts'

export const words = { ...developers } as const
