import { type Words } from '../en/index.js'

const number = new Intl.NumberFormat('ja')

export const skills: Words['skills'] = {
  create: '新しいスキル',
  createNote: '特定の作業のための指示です。その作業が出てきたとき、またはコマンドを入力したときに、エージェントが読みます。',
  empty: 'スキルはまだありません',
  emptyText: 'スキルは、作業の進め方をエージェントに伝えます。一度書けば何度でも使えるテキストです。',
  noOwn: '自分のスキルはまだありません。',
  exampleButton: (name) => `試してみる：${name}`,
  example: {
    name: 'commit-style', description: 'ここでのコミットの書き方',
    body: '# コミット\n\n- 1 つのコミットに 1 つの変更。\n- 1 行目には、使う人にとって何がよくなるかを 72 文字以内で書く。'
  },
  search: 'スキルを検索',
  noMatch: '一致するスキルはありません。',
  bundles: 'バンドル',
  noBundles: 'バンドルはありません。バンドルは複数のスキルを 1 つのコマンドにまとめるもので、プロファイルのバンドル用フォルダーに置くファイルです。',
  bundled: (count) => `スキル ${count} 件`,
  commands: 'コマンド',
  searchCommands: 'コマンドを検索',
  noCommand: '一致するコマンドはありません。',
  origins: { profile: '自分のもの', external: '共有フォルダー', plugin: 'プラグイン', claude: '~/.claude', shipped: '内蔵' },
  uses: (count) => `${number.format(count)} 回使用`,
  shadows: (origins) => `同じ名前のスキル（${origins}）を置き換えます。`,
  isOn: (name) => `${name} を有効にする`,
  off: 'オフ',
  edit: '編集',
  changeCopy: 'コピーを編集',
  view: '表示',
  views: { write: '編集', read: '閲覧', source: 'ソース' },
  inSource: '用途が複数行で書かれています。ソースで編集してください。',
  purpose: '何をできるようにしますか？',
  purposePlaceholder: '前回のタグ以降のコミットからリリースノートを書く',
  purposeHint: '依頼がこれに関するとき、エージェントはこのスキルを読みます。',
  how: 'どのように行いますか？',
  howPlaceholder: '1. 前回のタグ以降のコミットを見る。\n2. 利用者が気づく変化ごとにまとめる。',
  letAgent: 'エージェントに書いてもらう',
  askAgent: (purpose, body) =>
    `次の目的のスキルを書き、スキル用のツールで保存してください：${purpose}${body === '' ? '' : `\n\n次のメモに従ってください：\n\n${body}`}`,
  text: 'ソース',
  name: '名前',
  category: 'カテゴリー',
  saved: (name) => `「${name}」を保存しました。`,
  deleted: (name) => `「${name}」を削除しました。`,
  deleteFiles: '一緒に置かれたファイルも削除され、復元できません。',
  conflict: '他の人がこのスキルを変更しました。編集内容は残っています。',
  keepMine: '自分の内容を保存',
  takeTheirs: '相手の内容を使う',
  theirs: '現在の版'
}
