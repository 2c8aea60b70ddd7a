import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const number = formatter(() => new Intl.NumberFormat('ja'))

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
  categories: {
    Info: '情報', Session: 'チャット', Conversation: '会話', Configuration: '設定', Commands: 'コマンド', Skills: 'スキル', Workspace: 'フォルダー', Plugin: 'プラグイン', development: '開発', writing: '文章'
  },
  shipped: {
    'Review a change, a branch or a file for faults that matter, each with a place, a consequence and a proposal.':
      '変更、ブランチ、ファイルをレビューし、重要な問題を、場所・影響・修正案とともに示します。',
    'Write a commit message for staged or recent changes that tells a later reader what changed and why.':
      'あとで読む人に何をなぜ変えたかが伝わるコミットメッセージを書きます。',
    'Find the cause of a fault by evidence and mend it at its root.':
      '証拠をもとに不具合の原因を突き止め、根本から直します。',
    'Write tests that fail when a promise of the code is broken and only then.':
      'コードの約束が破られたときだけ失敗するテストを書きます。',
    'Summarise a document, article, transcript or thread faithfully, for a reader who has to decide or act.':
      '文書、記事、書き起こし、スレッドを、判断や行動に使えるよう忠実に要約します。'
  },
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
  more: 'その他',
  importButton: 'インポート…',
  exportOne: 'エクスポート',
  exportOwn: (count) => `自分のスキル ${number.format(count)} 件をエクスポート`,
  importTitle: 'スキルをインポート',
  importNote: 'zip や tar のアーカイブ、または他のエージェントのスキルフォルダなどから取り込みます。保存する前に中身を確認できます。',
  importReview: 'まだ何も保存されていません。信頼できるスキルだけをインポートしてください。エージェントはその指示に従い、スクリプトを実行することがあります。',
  chooseArchive: 'アーカイブを選択…',
  chooseFolder: 'フォルダを選択…',
  uploadFailed: 'アップロードに失敗しました。接続が切れたか、ファイルがサービスの上限を超えています。',
  importCount: (count) => `${number.format(count)} 件のスキルをインポート`,
  imported: (names) => `インポートしました: ${names}`,
  otherFiles: (count) => `どのスキルにも属さないファイルが ${number.format(count)} 件あります。`,
  scripts: (count) => `スクリプト ${number.format(count)} 件`,
  files: (count) => `ファイル ${number.format(count)} 件`,
  executable: '実行可能',
  script: 'スクリプト',
  cannotImport: 'インポートできません:',
  hasSame: 'このスキルはすでにあり、ファイルも同じです。',
  hasOther: '同じ名前のスキルがあり、ファイルは異なります。',
  choiceFor: (name) => `${name} の扱い`,
  choiceMissing: 'どうするかを選んでください。',
  choices: {
    ask: '選択…', take: 'インポート', replace: '自分のものを置き換える', keep_both: '両方残す', skip: '取り込まない'
  },
  saved: (name) => `「${name}」を保存しました。`,
  deleted: (name) => `「${name}」を削除しました。`,
  deleteFiles: '一緒に置かれたファイルも削除され、復元できません。',
  conflict: '他の人がこのスキルを変更しました。編集内容は残っています。',
  keepMine: '自分の内容を保存',
  takeTheirs: '相手の内容を使う',
  theirs: '現在の版'
}
