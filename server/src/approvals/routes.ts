// Staff see in one list what waits for them, the longest first. Nothing is decided here: `path`
// names the record, below which are the routes that decide it.

import { Type } from 'typebox'
import type { Db } from '../platform/db.ts'
import { enumFilter, singleSort, uuidFilter } from '../platform/http/filters.ts'
import { listByNumber } from '../platform/http/lists.ts'
import type { Route } from '../platform/http/route.ts'
import { numberList, orderingBy } from '../platform/http/route-list.ts'
import { approvalKinds } from './approval.ts'
import { listWaiting } from './store.ts'
import { ApprovalView, approvalExample, viewApproval } from './view.ts'

type Deps = Readonly<{ db: Db }>

const sortFields = ['since'] as const
const oldestFirst = { field: 'since', descending: false } as const

export const approvalRoutes = (deps: Deps): Route[] => [
  {
    path: '/admin/approvals/',
    access: 'staff',
    staff: 'read',
    ...numberList(ApprovalView, approvalExample, {
      kind: Type.Optional(Type.Enum([...approvalKinds])),
      merchant: Type.Optional(Type.String({ format: 'uuid' })),
      ordering: orderingBy(sortFields),
    }),
    summary: 'List what is awaiting a decision',
    description:
      'Merchants that request LIVE access or a new name, and the transfers, settlements, ' +
      'refunds, adjustments and proposed resolutions of the environment given by ' +
      '`X-Environment`; ' +
      'longest waiting first.',
    tag: 'Staff',
    handler: answerWaiting(deps),
  },
]

const answerWaiting = ({ db }: Deps) =>
  listByNumber(viewApproval, ({ query, person }, cut) =>
    listWaiting(db, {
      environment: person.environment,
      kind: enumFilter(query, 'kind', approvalKinds),
      merchant_id: uuidFilter(query, 'merchant'),
      descending: singleSort(query, sortFields, oldestFirst).descending,
      ...cut,
    }),
  )
