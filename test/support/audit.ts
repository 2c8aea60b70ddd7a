import { auditKindNames, auditKinds, type AuditKind } from '../../schemas/audit.js'
import { Ajv } from 'ajv'
import { verifyChain } from '../../services/areas/audit/index.js'
import { type TestLike, type TestService } from './app.js'

export interface Entry { id: number, at: number, kind: AuditKind, outcome: string, actor: { kind: string, id: string | null, name: string | null }, address: string | null, details: Record<string, unknown>, hash: string, previous_hash: string }

const ajv = new Ajv({ strict: false })

/** Returns all entries, oldest first. Checks that each fits the schema of its kind, and that they form one chain. */
export async function auditOf (t: TestLike, service: TestService, headers: Record<string, string> = {}): Promise<Entry[]> {
  const entries: Entry[] = []
  for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null;) {
    const page = await service.get(`/api/audit?limit=40&before=${before}`, headers)
    if (page.status !== 200) throw new Error(page.text)
    entries.push(...page.body.entries as Entry[])
    before = page.body.next_before as number | null
  }
  entries.reverse()
  for (const { kind, details } of entries) {
    if (!auditKindNames.includes(kind)) t.fail(`${kind} is no kind`)
    else if (!ajv.validate(auditKinds[kind].details, details)) t.fail(`${kind}: ${JSON.stringify(details)}`)
  }
  const verdict = verifyChain(service.app.db.sqlite)
  if (!verdict.whole) t.fail(JSON.stringify(verdict))
  return entries
}
