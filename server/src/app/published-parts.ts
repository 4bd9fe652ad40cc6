// What the published document says beside the routes: what fields and groups mean, what we send,
// the tables by which a credential is read (`x-access`), and how a session says where it acts.

import { scopes } from '../merchants/keys/api-key.ts'
import { placeParameters } from '../merchants/place-parameters.ts'
import { mayAs, roles } from '../merchants/roles.ts'
import { mayAsStaff, staffRoles } from '../people/staff-roles.ts'
import type { AccessTables } from '../platform/http/openapi-access.ts'
import { publishEvents } from '../webhooks/catalogue/published-events.ts'
import { fieldDescriptions } from './field-descriptions.ts'
import { tagDescriptions } from './tag-descriptions.ts'

const access_tables: AccessTables = {
  scopes,
  member: (right) => roles.filter((role) => mayAs[role].includes(right)),
  staff: (right) => staffRoles.filter((role) => mayAsStaff[role].includes(right)),
}

export const publishedParts = {
  access_tables,
  place_parameters: placeParameters,
  webhooks: publishEvents,
  field_descriptions: fieldDescriptions,
  tag_descriptions: tagDescriptions,
}
