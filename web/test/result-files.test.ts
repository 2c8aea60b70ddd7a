import t from '../../test/support/harness.js'
import { resultFiles } from '../src/core/files/result-files.js'
import { newCall } from '../src/core/turn/turn-stored.js'
import { type CallState, type Part } from '../src/core/turn/turn.js'

const workspace = '/home/ann/work'
const said = (text: string): Part => ({ kind: 'text', key: '', text, isOpen: false, isPartial: false, cut: null })
const called = (name: string, args: Record<string, unknown>, result: string, state: CallState = 'done'): Part => ({ ...newCall('', '', name, args), result, state })
const shown = (...parts: Part[]): string[] => resultFiles(parts, workspace).map(({ kind, path, isElsewhere }) => `${kind}${isElsewhere ? ' elsewhere' : ''} ${path}`)

t.test('files that an answer refers to, by each way in which that is written', (t) => {
  const cases: Array<[string, string[]]> = [
    ['![chart](out/chart.png "A chart")', ['picture out/chart.png']],
    ['![chart](<out/my chart.png>) and [sheet](a%20b.xlsx)', ['picture out/my chart.png', 'document a b.xlsx']],
    ['[report](./out/../report (final).pdf)', []],
    ['[report](./out/../report(final).pdf)', ['pdf report(final).pdf']],
    ['see `tone.wav`, `clip.mp4`, `talk.pptx`', ['audio tone.wav', 'video clip.mp4', 'document talk.pptx']],
    ['see `clip.mp4 and more` and tone.wav in prose', []],
    ['MEDIA:/tmp/a.png', ['picture elsewhere /tmp/a.png']],
    ['- **x**\n  MEDIA: `/tmp/with space.mp3`  \nMEDIA:rel.pdf', ['audio elsewhere /tmp/with space.mp3', 'pdf rel.pdf']],
    [`[here](file://${workspace}/in.png) and \`${workspace}/in.png\``, ['picture in.png']],
    ['```sh\nMEDIA:/tmp/a.png\n`b.png`\n```\n~~~\n![x](c.png)', []],
    ['![x](https://example.org/a.png) ![y](//example.org/b.png) ![z](/api/media?path=c.png) ![d](data:image/png)', []],
    ['`../up.png` `~/home.png` `*.png` `$x.png` `main.ts` `readme.md` `data.csv`', []],
    ['![broken](%E0%A4%A.png)', ['picture %E0%A4%A.png']],
    ['[](' + '('.repeat(2_000) + ' `' + '['.repeat(5_000), []]
  ]
  for (const [text, files] of cases) t.same(shown(said(text)), files, text.slice(0, 60))
})

t.test('what a turn has written or a tool has named is shown once, and never more than a few', (t) => {
  t.same(shown(
    called('write_file', { path: 'logo.svg' }, 'Created logo.svg'),
    called('write_file', { path: 'not.svg' }, 'refused', 'failed'),
    called('terminal', { command: 'make' }, 'a.png b.png\nMEDIA:/srv/film.webm\nc.png'),
    called('read_file', { path: 'seen.pdf' }, 'text'),
    said('Look at `logo.svg`.')
  ), ['picture logo.svg', 'video elsewhere /srv/film.webm'])
  t.equal(shown(said(Array.from({ length: 30 }, (_, index) => `\`${index}.png\``).join(' '))).length, 8)
})
