// What whoever is not signed in reads, in French.

import { entrance } from './fr/entrance.ts'

export const words = { ...entrance } as const
