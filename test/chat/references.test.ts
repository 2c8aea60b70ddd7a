import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { referenceTo } from '../../services/areas/chat/references.js'
import { startChat } from '../support/chat.js'

t.test('a file is named by its place and its path there', async (t) => {
  const places = { workspace: '/work', attachments: '/state/attachments/a', 'attachments of b': '/state/attachments/b' }
  const file = { name: 'x', mime: 'image/png', size: 1, isImage: true }
  const cases: Array<[path: string, place: string | null, below: string]> = [
    ['/work/a/x.png', 'workspace', 'a/x.png'], ['a/x.png', 'workspace', 'a/x.png'], ['/work/..x.png', 'workspace', '..x.png'],
    ['/state/attachments/a/x.png', 'attachments', 'x.png'], ['/state/attachments/b/x.png', 'attachments of b', 'x.png'],
    ['/state/attachments/old/x.png', 'attachments', 'x.png'],
    ['/state/attachments/c/x.png', null, '/state/attachments/c/x.png'], ['/etc/passwd', null, '/etc/passwd'], ['', null, ''],
    ['/work', null, '/work'], ['/work/../etc/passwd', null, '/work/../etc/passwd'], ['../x.png', null, '../x.png'], ['/workshop/x.png', null, '/workshop/x.png']
  ]
  for (const [path, place, below] of cases) t.same(referenceTo({ ...file, path }, places, { before: '/state/attachments/old' }), { ...file, place, path: below }, path)
})

t.test('images of the conversation and its workspace are shown to the model, others are named', async (t) => {
  const service = await startChat(t)
  const id = await service.newSession()
  const uploads = join(service.app.config.stateDir, 'attachments', id)
  mkdirSync(uploads, { recursive: true })
  const outside = join(service.folder, 'outside.png')
  const paths = [join(uploads, 'up.png'), join(service.workspace, 'work.png'), outside, join(service.workspace, 'link.png'), join(service.workspace, 'none.png')]
  for (const path of paths.slice(0, 3)) writeFileSync(path, `image ${path}`)
  symlinkSync(outside, paths[3]!)
  const model = service.model([{ text: 'Seen.' }])
  const streamId = await service.send(id, 'Look', { model, attachments: paths.map((path) => ({ name: 'x.png', path, mime: 'image/png', is_image: true })) })
  await (await service.watch(streamId)).ended
  const { content } = service.requests(model)[0]!.messages.at(-1)! as unknown as { content: Array<{ type: string, text?: string, image_url?: { url: string } }> }
  t.equal(content[0]!.text, `Look\n\n[Attached files: ${paths.join(', ')}]`)
  const shown = content.slice(1).map(({ image_url: image }) => Buffer.from(image!.url.split(',')[1]!, 'base64').toString())
  t.same(shown, paths.slice(0, 2).map((path) => `image ${path}`))
})
