// Every law by the name its findings carry. The test runs each over the real tree and
// over what `planted-*.ts` plants for it.

import { citations } from './citation-law.ts'
import { dashboardRanks, dashboardThin } from './dashboard-laws.ts'
import * as honesty from './honesty-laws.ts'
import * as imports from './import-laws.ts'
import { noFloats } from './money-laws.ts'
import * as papers from './paper-laws.ts'
import { merchantsAtTheirPlace, transactionsBeginSomewhere } from './place-laws.ts'
import { privateFiles } from './private-rooms.ts'
import * as rim from './rim-laws.ts'
import { oneOwnershipCheck } from './route-laws.ts'
import * as shape from './shape-laws.ts'
import * as sql from './sql-laws.ts'
import { momentsOver } from './test-laws.ts'
import { sameInBoth } from './text-laws.ts'
import type { Finding, Tree } from './tree.ts'
import * as words from './word-laws.ts'

export const laws = {
  'import law': imports.importLaw,
  'private rooms': privateFiles,
  walls: imports.walls,
  'no rings': imports.noCycles,
  'tests apart': imports.testsApart,
  'exports used': imports.exportsUsed,
  names: shape.names,
  'dashboard ranks': dashboardRanks,
  'dashboard thin': dashboardThin,
  'retired words': shape.retiredWords,
  'whole names': shape.wholeNames,
  sizes: shape.sizes,
  'fuller files': shape.fullerFiles,
  openings: shape.openings,
  'no floats': noFloats,
  'SQL in stores': sql.sqlInStores,
  'table owners': sql.tableOwnership,
  'attempts at home': sql.attemptsAtHome,
  'status by move': sql.statusByMove,
  'plain in transactions': sql.plainInTransactions,
  'states obeyed': sql.statesObeyed,
  'at their place': merchantsAtTheirPlace,
  'begins somewhere': transactionsBeginSomewhere,
  'adapter names': rim.adapterNames,
  'adapter sight': rim.adapterSight,
  'fastify at the rim': rim.fastifyAtTheRim,
  environment: rim.environmentAtTheRim,
  'mechanisms alone': rim.mechanismsAlone,
  'types told': honesty.declaredTypes,
  comments: honesty.comments,
  'tests run': honesty.testsRun,
  'moments over': momentsOver,
  'columns listed': honesty.columnsListed,
  'no machines': honesty.noMachines,
  'one ownership check': oneOwnershipCheck,
  citations,
  'statements shown': papers.statementsShown,
  walkthrough: papers.walkthroughLeads,
  'ends of holds': papers.endsOfHolds,
  'one French word': words.oneFrenchWord,
  'French apostrophes': words.frenchApostrophes,
  'same in both': sameInBoth,
} as const satisfies Record<string, (tree: Tree) => Finding[]>

export type LawName = keyof typeof laws

/** A small tree planted for one law. `found` lists `path:line` of each finding, in order. */
export type Planted = Readonly<{
  title: string
  files: Readonly<Record<string, string>>
  found: readonly string[]
}>
