// The public statements about sessions and links that stand alone: other folders read and write
// them through these; the SQL itself is in `store.ts`.

export {
  deleteLink,
  findLink,
  findNow,
  findSession,
  findSlug,
  insertLink,
  insertSession,
  isLinkOfAnyone,
  isSessionOfAnyone,
  type LinkSortField,
  linkSortFields,
  listDueSessions,
  listLinks,
  listSessions,
  lockLink,
  type NewLink,
  type NewSession,
  type SessionSortField,
  sessionSortFields,
  updateLink,
  type WritableLink,
} from './store.ts'
