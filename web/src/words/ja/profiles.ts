import { type Words } from '../en/index.js'

export const profiles: Words['profiles'] = {
  note: 'プロファイルごとに、モデル、キー、メモリ、設定が別々です。選んだものはこのブラウザーに適用されます。',
  toMemory: '現在のプロファイルのペルソナとメモ',
  single: 'このサービスのプロファイルは 1 つだけです。',
  active: '使用中',
  usual: '既定',
  hidden: '非表示',
  running: 'エージェント実行中',
  facts: (model, skills, all) => `${model} · スキル ${skills}/${all}`,
  noModel: 'モデルなし',
  keys: '専用のキーあり',
  switch: '切り替える',
  create: 'プロファイルを作成',
  name: '名前',
  nameHint: '英小文字、数字、-、_。先頭は英小文字か数字。',
  wrongName: '英小文字、数字、-、_ を 64 文字以内で。先頭は英小文字か数字にしてください。',
  from: '元にするもの',
  nothing: 'なし',
  copyOf: (name) => `「${name}」のコピー（設定、キー、ペルソナ）`,
  created: (name) => `「${name}」を作成しました。`,
  clone: 'コピー',
  remove: '削除',
  removeTitle: (name) => `「${name}」を削除`,
  removeNote: 'フォルダーはキーを除いて 30 日間保管されます。チャットは残ります。続けるには名前を入力してください。',
  removed: (name) => `「${name}」を削除しました。フォルダーは 30 日間保管されます。`
}
