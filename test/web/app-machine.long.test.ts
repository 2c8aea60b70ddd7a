import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { visitApp, wrong } from '../support/app-page.js'
import { violations } from '../support/axe.js'
import { withBrowser } from '../support/browser.js'
import { eventually } from '../support/chat.js'
import { program, type Program } from '../support/machine-program.js'
import { isAway, startJoinable } from '../support/present-machine.js'
import { needs } from '../support/programs.js'

withBrowser(() => {
  t.test('the panel of a chat whose machine is away says which and since when, and has its files again once it is back', needs('nats-server'), async (t) => {
    const { server, service } = await startJoinable(t)
    const folder = t.testdir({ work: { project: {} } })
    const project = join(folder, 'work', 'project')
    const arrive = async (): Promise<Program> => {
      const machine = program(t, folder, ['--nats', server.url, '--name', 'big', '--workspaces', join(folder, 'work')])
      await eventually('the machine', async () => (await service.get('/api/hosts')).body.hosts[1]?.state === 'ready')
      return machine
    }
    const machine = await arrive()
    writeFileSync(join(project, 'plan.md'), 'One')
    const id = await service.newSession({ workspace: `big:${project}` })
    await service.post('/api/session/rename', { session_id: id, title: 'Far work' })
    await machine.end('SIGTERM')
    await isAway(service)

    const { page, problems } = await visitApp(t, service.url, id)
    await page.getByRole('button', { name: 'Show files and changes' }).click()
    const panel = page.getByRole('complementary', { name: 'Files and changes' })
    const away = panel.getByText(/^big has been offline since [^.]*\.$/)
    await away.waitFor()
    t.equal(await panel.getByRole('button', { name: 'Upload' }).count(), 0)
    t.equal(await panel.getByRole('alert').count(), 0)
    t.same(await violations(page), [])
    for (const name of ['Changes', 'Checks', 'Preview', 'Checkpoints']) {
      await panel.getByRole('tab', { name }).click()
      await away.waitFor()
      t.equal(await panel.getByRole('alert').count(), 0, name)
    }
    await panel.getByRole('tab', { name: 'Files' }).click()
    await arrive()
    await panel.getByText('plan.md').waitFor()
    await away.waitFor({ state: 'detached' })
    t.same(wrong(problems, '503'), [])
  })
})
