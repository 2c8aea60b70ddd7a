import t from '#test'
import { openDatabase } from '../../services/ground/database/index.js'
import { createTurnStore } from '../../services/areas/chat/rows.js'
import { createDeliveryRows } from '../../services/areas/crons/delivery-rows.js'
import { createRunRows } from '../../services/areas/crons/run-rows.js'
import { createGoalRows } from '../../services/areas/goals/rows.js'
import { createPromptRows } from '../../services/areas/prompts/rows.js'
import { createReviewRows } from '../../services/areas/reviews/rows.js'
import { systemClock } from '../../services/ground/time/clock.js'

t.test('statements that read a small part of a table use its partial index', async (t) => {
  const db = openDatabase({ file: ':memory:' })
  t.teardown(() => db.close())
  const prepare = db.sqlite.prepare.bind(db.sqlite)
  const texts: string[] = []
  Object.assign(db.sqlite, { prepare: (text: string) => { texts.push(text); return prepare(text) } })
  const parts: Array<[string, () => unknown]> = [
    ['cron_deliveries_due', () => createDeliveryRows(db).due(1, 10)],
    ['cron_deliveries_due', () => createDeliveryRows(db).hurry(1)],
    ['cron_runs_open', () => createRunRows(db).open()],
    ['goals_active', () => createGoalRows({ db, clock: systemClock, sessions: { changed: () => {} } }).active()],
    ['review_comments_sent', () => createReviewRows(db).waiting()]
  ]
  for (const [index, run] of parts) {
    run()
    const text = texts.at(-1) ?? ''
    const values = [...text.matchAll(/\?/g)].map(() => 1)
    const plan = prepare<unknown[], { detail: string }>(`explain query plan ${text}`).all(...values)
    t.match(plan.map(({ detail }) => detail).join('; '), new RegExp(`USING (?:COVERING )?INDEX ${index}\\b`), text)
  }

  createTurnStore(db).budgetOf('stream')
  const jobOf = texts.find((text) => text.includes('from cron_runs join cron_jobs') && text.includes('stream_id = ?')) ?? ''
  const [ofRuns] = prepare<unknown[], { detail: string }>(`explain query plan ${jobOf}`).all('stream')
  t.match(ofRuns?.detail, /SEARCH cron_runs USING INDEX cron_runs_open/, jobOf)

  const before = texts.length
  createPromptRows({ db, clock: systemClock }).everyOpen()
  const ofOpen = texts.slice(before).filter((text) => /prompts"?(?:\.| where ).*\bin \(/.test(text))
  t.ok(ofOpen.length > 5, `${ofOpen.length} statements`)
  for (const text of ofOpen) {
    const plan = prepare<unknown[], { detail: string }>(`explain query plan ${text.replaceAll(/\?/g, '1')}`).all()
    t.notMatch(plan.map(({ detail }) => detail).join('; '), /SCAN prompts(?! USING INDEX prompts_open)/, text)
  }
})
