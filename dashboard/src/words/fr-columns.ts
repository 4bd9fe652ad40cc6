// What the columns of files are called, in French.

import { columns } from './fr/columns.ts'

export const words = { ...columns } as const
