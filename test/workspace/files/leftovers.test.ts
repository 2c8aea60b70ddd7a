import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import t from '#test'
import { isAbandonedScratch, scratchPrefix, type ScratchKind } from '../../../services/ground/files/scratch.js'
import { leftInHome } from '../../../services/workspace/files/left-in-home.js'
import { start } from '../../support/app.js'
import { eventually } from '../../support/chat.js'
import { temporaryFolder } from '../../support/folder.js'

const kinds: ScratchKind[] = ['filter', 'git', 'sandbox']
/** No process has this id. */
const nobody = 999_999_999
const ofProcess = (path: string, pid: number): string => path.replace(`-${process.pid}-`, `-${pid}-`)

t.test('scratch folders say whose they are: those of a process that has ended are nobody\'s at once', (t) => {
  const nowMs = Date.now()
  const hourAgoMs = nowMs - 3_600_001
  const isLeft = (name: string, ctimeMs: number): boolean => isAbandonedScratch(name, { ctimeMs }, nowMs)
  for (const kind of kinds) {
    const own = `${basename(scratchPrefix(kind))}aB3x9z`
    t.notOk(isLeft(own, nowMs), 'this process')
    t.ok(isLeft(own, performance.timeOrigin - 1), 'one that had its number before')
    t.notOk(isLeft(ofProcess(own, process.ppid), hourAgoMs), 'another one that is at work')
    t.ok(isLeft(ofProcess(own, nobody), nowMs), 'one that has ended')
    for (const name of [own.replace(/-\d+-/, '-1-'), `agent-${kind}-aB3xy9`]) t.same([isLeft(name, nowMs), isLeft(name, hourAgoMs)], [false, true], `${name}: of another container, or an earlier version`)
  }
  for (const name of ['agent-notes', 'agent-other-1-1-abcdef', 'agent-git-1-abcdef', 'agent-git-1-1-abcdef.txt']) t.notOk(isLeft(name, hourAgoMs), name)
})

t.test('a process that ends in the middle of its work takes its scratch folder with it', async (t) => {
  const folder = temporaryFolder(t, 'scratch')
  const script = `import { inScratch } from ${JSON.stringify(resolve('services/ground/files/scratch.ts'))}
void inScratch('sandbox', async (made) => { console.log(made); process.exit(0) })`
  const made = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], {
    encoding: 'utf8', env: { ...process.env, TMPDIR: folder }
  }).trim()
  t.ok(made.startsWith(folder), 'it was made')
  t.same(readdirSync(folder).filter((name) => name.startsWith('agent-')), [])
})

t.test('a folder that the service may not open does not keep it from finding what else was left', async (t) => {
  const home = temporaryFolder(t, 'home-leftovers')
  const foreign = join(home, 'skills/.imports/0123456789abcdef01234567')
  const left = join(home, 'webui_state/.settings.json.0123456789ab.tmp')
  for (const folder of [foreign, dirname(left)]) mkdirSync(folder, { recursive: true })
  writeFileSync(left, '')
  chmodSync(home, 0o755)
  chmodSync(foreign, 0)
  // Root may open everything.
  const isRoot = process.geteuid?.() === 0
  if (isRoot) process.seteuid?.(65_534)
  try {
    t.same((await leftInHome(home)).map(({ path }) => path), [left])
  } finally {
    if (isRoot) process.seteuid?.(0)
    chmodSync(foreign, 0o700)
  }
})

t.test('what a crash has left half made or half removed in a home is gone after the next start, and nothing that is used', async (t) => {
  const folder = temporaryFolder(t, 'home-leftovers')
  const first = await start(t, { folder })
  const at = (path: string): string => join(folder, 'home', path)
  const put = (path: string, text = 'text'): string => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text)
    return at(path)
  }
  put('plugins/lint/commands/check.md', '---\ndescription: Check it\n---\nCheck it.\n')
  t.match(await first.post('/api/plugins', { name: 'lint', enabled: true }), { status: 200 })
  await first.stop()

  const [hex12, hex16, hex24] = ['0123456789ab', '0123456789abcdef', '0123456789abcdef01234567']
  const left = [
    put(`skills/mine/.SKILL.md.${hex12}.tmp`), put(`skills/writing/mine/.SKILL.md.${hex12}.tmp`), put(`skills/..usage.json.${hex12}.tmp`),
    put(`skills/.deleted-${hex12}/SKILL.md`), put(`skills/writing/.deleted-${hex12}/SKILL.md`), put(`skills/.imports/${hex24}/unpacked/a/SKILL.md`),
    put(`skills/.imports/${hex24.replace('0', 'f')}/.SKILL.md.${hex12}.tmp`),
    put(`cron/output/job/.${hex12}.part`), put(`webui_state/plugins/.lint.${hex12}.tmp/commands/check.md`),
    put(`webui_state/plugins/.accepted.json.${hex12}.tmp`), put(`webui_state/plugins/lint-${hex16}/commands/check.md`),
    put(`webui_state/mcp/views/session/.call.${hex12}.tmp`)
  ]
  const elsewhere = put(`elsewhere/.SKILL.md.${hex12}.tmp`)
  symlinkSync(dirname(elsewhere), at('skills/linked'))
  const kept = [
    elsewhere, put('skills/mine/SKILL.md'), put(`skills/.imports/${hex24.replace('0', 'f')}/import.json`), put('skills/.notes/a.txt'),
    put('cron/output/job/2026-01-01_00-00-00.md'), put('skills/mine/.hidden.tmp'), at('webui_state/plugins/accepted.json')
  ]
  const copy = readdirSync(at('webui_state/plugins')).find((name) => /^lint-[0-9a-f]{16}$/.test(name) && !name.endsWith(hex16))
  kept.push(at(`webui_state/plugins/${copy}/commands/check.md`))

  const again = await start(t, { folder, clock: { now: () => Date.now() + 1_000 } })
  await eventually('an end of what was left', () => !left.some((path) => existsSync(path)))
  for (const path of kept) t.ok(existsSync(path), path)
  t.match((await again.get('/api/plugins')).body.plugins, [{ name: 'lint', enabled: true }])
})

t.test('what a crash has left is removed at the next start, wherever it lies, and nothing else', async (t) => {
  const folder = temporaryFolder(t, 'leftovers')
  const first = await start(t, { folder })
  const id = await first.newSession({ workspace: first.workspace })
  t.equal((await first.get(`/api/list?session_id=${id}`)).status, 200)
  await first.stop()

  const outside = join(folder, 'outside')
  mkdirSync(outside)
  mkdirSync(join(first.workspace, 'deep', 'er'), { recursive: true })
  symlinkSync(outside, join(first.workspace, 'link'))
  const name = '.agent-0123456789abcdef.tmp'
  const left = [join(first.workspace, name), join(first.workspace, 'deep', 'er', name), ...['.config.yaml', '..env', 'memories/.MEMORY.md', 'webui_state/mcp/.credentials.json'].map((path) => join(folder, 'home', `${path}.0123456789ab.tmp`))]
  const kept = [join(outside, name), join(first.workspace, 'deep', 'mine.tmp'), join(first.workspace, '.agent-notes.tmp'), join(folder, 'home', 'config.yaml.tmp'), join(folder, 'home', '.notes.0123456789.tmp')]
  for (const path of ['memories', 'webui_state/mcp']) mkdirSync(join(folder, 'home', path), { recursive: true })
  for (const path of [...left, ...kept]) writeFileSync(path, 'half')
  // The modification time of a file is not used.
  utimesSync(kept[0]!, 0, 0)
  for (const kind of kinds) {
    const [own, gone] = [scratchPrefix(kind), ofProcess(scratchPrefix(kind), nobody)].map((prefix) => mkdtempSync(prefix))
    left.push(gone!)
    kept.push(own!)
    t.teardown(() => { for (const path of [own!, gone!]) rmSync(path, { recursive: true, force: true }) })
  }

  // The clock of the file system has a resolution of a few milliseconds.
  const again = await start(t, { folder, clock: { now: () => Date.now() + 1_000 } })
  await eventually('an end of what was left', () => !left.some((path) => existsSync(path)))
  for (const path of kept) t.ok(existsSync(path), path)

  const later = join(again.workspace, '.agent-fedcba9876543210.tmp')
  writeFileSync(later, 'in the making')
  await again.stop()
  t.ok(existsSync(later), 'what is new may be somebody\'s work')
})
