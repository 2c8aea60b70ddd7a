import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { factsNow, recordRun, writePage } from './page.js'
import { readOptions, refuse } from './options.js'
import { createReport } from './report.js'
import { appRows } from './rows-app.js'
import { checkpointRows } from './rows-checkpoints.js'
import { curveRows } from './rows-curves.js'
import { fileRows } from './rows-files.js'
import { gitRows } from './rows-git.js'
import { idleRows } from './rows-idle.js'
import { loopRows } from './rows-loop.js'
import { insightRows } from './rows-insights.js'
import { machineRows } from './rows-machines.js'
import { modelRows } from './rows-models.js'
import { promptRows } from './rows-prompts.js'
import { requestRows } from './rows-requests.js'
import { sessionRows } from './rows-sessions.js'
import { scaleRows } from './rows-scale.js'
import { skillRows } from './rows-skills.js'
import { startRows } from './rows-start.js'
import { speechRows } from './rows-speech.js'
import { tokenRows, turnRows } from './rows-turns.js'
import { agentRows } from './rows-agents.js'
import { seed } from './seed.js'

const groups = {
  start: startRows, requests: requestRows, sessions: sessionRows, turns: turnRows, tokens: tokenRows, agents: agentRows,
  machines: machineRows, prompts: promptRows, models: modelRows, files: fileRows, checkpoints: checkpointRows, git: gitRows,
  skills: skillRows, speech: speechRows, insights: insightRows, app: appRows, loop: loopRows, idle: idleRows,
  scale: scaleRows, curves: curveRows
}

const options = readOptions({
  command: 'npm run bench', does: 'Measures the built service, and prints a table.'
}, {
  only: { type: 'string', value: 'group', says: Object.keys(groups).join(', '), multiple: true },
  page: { type: 'boolean', says: 'keeps the results in docs/performance.json, and writes docs/performance.md', default: false },
  render: { type: 'boolean', says: 'measures nothing; writes the page from docs/performance.json', default: false },
  quick: { type: 'boolean', says: 'shorter runs', default: false },
  connections: { type: 'string', value: 'n', says: 'idle event streams in the group idle', default: '2000' },
  match: { type: 'string', value: 'text', says: 'in the group loop: only the cases whose name contains the text' },
  profile: { type: 'boolean', says: 'in the group loop: shows the functions that took the time', default: false },
  server: { type: 'string', value: 'file', says: 'another build than dist/server.js' },
  node: { type: 'string', value: 'option', says: 'a Node option for the service (--node=--cpu-prof)', multiple: true }
})
const unknown = options.only?.filter((name) => !(name in groups)) ?? []
if (unknown.length > 0) refuse(`There is no group called ${unknown.join(', ')}; there are ${Object.keys(groups).join(', ')}.`)

if (options.render) {
  writePage(Object.keys(groups))
  process.exit(0)
}

const folder = mkdtempSync(join(tmpdir(), 'bench-'))
const report = createReport()
try {
  for (const [name, rows] of Object.entries(groups)) {
    if (options.only !== undefined && !options.only.includes(name)) continue
    console.log(`${name}:`)
    const group = report.begin(name)
    const facts = factsNow()
    const home = join(folder, name)
    const seeded = await seed(home)
    const bareFile = join(folder, `${name}-bare.db`)
    copyFileSync(seeded.file, bareFile)
    await rows({
      home, bareFile, seeded, report, quick: options.quick, isProfiled: options.profile, nodeOptions: options.node ?? [],
      connections: Number(options.connections), ...(options.server === undefined ? {} : { entry: options.server }),
      ...(options.match === undefined ? {} : { match: options.match })
    })
    rmSync(home, { recursive: true, force: true })
    // After each group, so that a run that is broken off keeps what it has measured.
    if (options.page && group.rows.length + group.curves.length > 0) {
      recordRun({ ...group, ...facts })
      writePage(Object.keys(groups))
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
report.print()
const missed = report.missed()
console.log(missed.length === 0
  ? '\nEvery promise was kept in this run.'
  : `\nMissed in this run: ${missed.map(({ measure }) => measure).join('; ')}.`)
