import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const number = formatter(() => new Intl.NumberFormat('ja'))

export const memory: Words['memory'] = {
  names: { memory: 'メモ', user: 'あなたについて', soul: 'ペルソナ', project: 'ワークスペースの指示' },
  about: {
    memory: 'エージェントが自分用に書き留めたことです。すべてのチャットの始めに読み、あなたの許可があれば変更できます。',
    user: 'エージェントがあなたについて知っていることです。すべてのチャットの始めに読み、あなたの許可があれば変更できます。',
    soul: 'エージェントが何者で、どう話すかです。変更できるのは人だけです。',
    project: 'これらのファイルはワークスペースにあり、そこでだけ適用されます。変更するにはファイルを編集してください。'
  },
  examples: {
    memory: '- サイトのテストは `npm test` で実行する。\n- リリースは金曜日に行う。',
    user: '- ケンと呼んでください。\n- 回答は短く、単位はメートル法で。',
    soul: 'あなたは落ち着いた同僚です。知らないことは知らないと言います。'
  },
  useExample: '例から始める',
  off: 'このプロファイルではこの文書を使いません。',
  problem: (problem) => `この文書を読み取れません：${problem}`,
  masked: 'キーとパスワードは [redacted] と表示されます。その行をそのままにしておけば、値は保たれます。',
  plain: '今は何も伏せられていません。キーとパスワードを読める状態です。',
  showValues: '値を表示',
  hideValues: '値を隠す',
  tooLong: (bytes, most) => `長すぎます：${number.format(most)} バイトまでのところ ${number.format(bytes)} バイト。`,
  discard: '変更を破棄',
  saved: '保存しました。新しいチャットで使われます。',
  conflict: '他の人がこの文書を変更しました。編集内容は残っています。',
  keepMine: '自分の内容を保存',
  takeTheirs: '相手の内容を使う',
  theirs: '現在の版',
  view: '表示',
  views: { facts: '項目', text: '全文' },
  fact: '項目',
  factPlaceholder: 'リリースは金曜日に行う。',
  noFacts: 'まだ何もありません。覚えてほしいことをエージェントに伝えるか、ここに追加してください。',
  moreFacts: (count) => `さらに ${number.format(count)} 件を表示`,
  addFact: '項目を追加',
  editFact: 'この項目を編集',
  forget: 'この項目を忘れる',
  forgotten: '忘れました。新しいチャットでは使われません。',
  olderThan: (at) => `${at} より前`,
  tidy: '整理',
  proposal: '整理した版',
  tidying: '重複や古い項目をモデルが探しています…',
  tidyAlready: '整理するものはありません。',
  accept: '採用',
  leave: '現在の版を残す',
  tidied: '文書を整理しました。',
  versions: '版',
  noVersions: '以前の版はまだありません。',
  authors: { person: 'あなた', agent: 'エージェント', disk: 'ディスク上で変更' },
  bytes: (bytes) => `${number.format(bytes)} バイト`,
  missing: 'ファイルなし',
  current: '現在',
  currentNote: 'これは現在の版です。',
  since: 'それ以降の変更：',
  restore: 'この版を復元',
  restored: '版を復元しました。',
  shadowed: (count) => `ここで無視されるファイル ${count} 件`
}
