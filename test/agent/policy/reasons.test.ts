import { join } from 'node:path'
import t from '#test'
import { inEnglish, reasonCodes, sentencesOf, type Reason } from '../../../reasons/index.js'
import { decide, type PolicyContext, type Verdict } from '../../../services/agent/policy/index.js'
import { createTools, type Tool } from '../../../services/agent/tools/index.js'
import { commandThemes } from '../../support/policy-commands.js'
import { floor, harmless } from '../../support/policy-floor.js'
import { escapes, openEnded, plain } from '../../support/policy-open-ended.js'
import { lookInRepository } from '../../support/policy-repository.js'
import { confined, confinedAsked, leaving } from '../../support/policy-sandbox.js'

const terminal = createTools().find(({ name }) => name === 'terminal') as Tool
const context: PolicyContext = {
  workspace: '/home/ann/workspace', home: '/home/ann/.svc', serviceRoots: ['/home/ann/.svc/webui'], programRoots: ['/srv/service/dist'], userHome: '/home/ann', grants: new Set(),
  yolo: false, attended: true, resolvePath: (path) => join(path, '.').replace(/(.)\/$/, '$1'), look: lookInRepository
}
const commands = [
  ...Object.values(commandThemes).flatMap((rows) => rows.map(([command]) => command)), ...Object.values(floor).flat(), ...harmless, ...escapes, ...openEnded, ...plain,
  ...Object.values(confined).flat(), ...confinedAsked.map(([command]) => command), ...leaving.map(([command]) => command)
]

const all = (reasons: readonly Reason[]): Reason[] => reasons.flatMap((each) => [each, ...all(each.details ?? [])])

t.test('every sentence about the commands of the tables has its codes, which say the same', (t) => {
  const verdicts: Verdict[] = commands.flatMap((command) => [{}, { sandboxed: true }, { sandboxed: true, limitedBy: 'container' as const }]
    .map((more) => decide({ tool: terminal, args: { command } }, { ...context, ...more })))
  const told = verdicts.filter(({ description, reasons }) => sentencesOf(reasons) === description)
  t.equal(told.length, verdicts.length)
  t.ok(verdicts.length > 3_000, String(verdicts.length))
  const codes = new Set(verdicts.flatMap(({ reasons }) => all(reasons).map(({ code }) => code)))
  for (const code of codes) t.ok(reasonCodes.includes(code), code)
  t.ok(codes.size > 60, `${codes.size} codes`)
  for (const each of verdicts.flatMap(({ reasons }) => all(reasons))) if (/undefined|\[object/.test(inEnglish(each))) t.match(inEnglish(each), commands.join())
})
