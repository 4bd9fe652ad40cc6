// `npm run screenshots`: the payer's pages, papers, e-mails and the dashboard as pictures in
// docs/images/, made anew by the service as a stranger runs it. The same names each time; on pages
// what differs by the hour is written over, on papers it is as it was.

import path from 'node:path'
import { drawDashboard } from './screenshots/draw-dashboard.ts'
import { drawPages } from './screenshots/draw-pages.ts'
import { drawPapers } from './screenshots/draw-papers.ts'
import { startDesk } from './screenshots/start-desk.ts'

const folder = path.resolve(import.meta.dirname, '../docs/images')

const desk = await startDesk()
try {
  const drawn = [
    ...(await drawPages(desk, folder)),
    ...(await drawDashboard(desk, folder)),
    ...(await drawPapers(desk, folder)),
  ]
  console.log(`${drawn.length} pictures in ${path.relative(process.cwd(), folder)}`)
} finally {
  await desk.stop()
}
