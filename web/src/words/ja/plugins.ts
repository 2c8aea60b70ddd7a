import { type Words } from '../en/index.js'

const of = (count: number, what: string): string => count === 0 ? '' : `${what} ${count}`

export const plugins: Words['plugins'] = {
  note: 'プラグインは、コマンド、スキル、MCP サーバーを含むフォルダーで、Claude Code と同じ構成です。プロファイルの次のフォルダーに置いてください：',
  none: 'プラグインはまだありません。',
  on: '有効',
  off: '無効',
  changed: '変更あり',
  changedNote: '有効にした後にファイルが変更されました。新しい版を確認するまで、以前の版が使われます。',
  look: '確認して有効化',
  lookAgain: '変更を確認',
  switchOn: '有効にする',
  useNew: '新しい版を使う',
  switchOff: '無効にする',
  isOn: (name) => `「${name}」を有効にしました。`,
  isOff: (name) => `「${name}」を無効にしました。`,
  by: (author, version) =>
    [version === '' ? '' : `バージョン ${version}`, author === '' ? '' : `作者 ${author}`].filter((part) => part !== '').join('、'),
  counts: (commands, skills, servers) =>
    [of(commands, 'コマンド'), of(skills, 'スキル'), of(servers, 'MCP サーバー')].filter((part) => part !== '').join('・'),
  contents: '内容',
  commands: 'コマンド',
  skills: 'スキル',
  servers: 'MCP サーバー',
  runs: 'このマシンで起動：',
  asks: '接続先：',
  sandboxed: 'サンドボックス内',
  variables: (names) => `プロファイルの .env から渡される値：${names}`,
  nothing: 'このサービスで使えるものは含まれていません。',
  unused: (names) => `ここでは使わないもの：${names}`,
  files: (count) => `${count} ファイル`,
  moreFiles: (count) => `他に ${count} ファイルあります。`,
  changes: { added: '新規', changed: '変更', removed: '削除' },
  executable: 'プログラム',
  gone: 'このファイルはもうありません。',
  trust: 'プラグインの内容はモデルが読み、サーバーはあなたの権限で動きます。信頼できるプラグインだけを有効にしてください。'
}
