import { type Words } from '../en/index.js'

export const asking: Words['asking'] = {
  asks: (action) => `${action}しますか？`,
  title: {
    create: (file) => `${file} を作成`,
    edit: (file) => `${file} を編集`,
    write: (file) => `${file} を上書き`,
    createTask: (name) => `タスク「${name}」を作成`,
    editTask: (name) => `タスク「${name}」を変更`,
    pauseTask: (name) => `タスク「${name}」を一時停止`,
    resumeTask: (name) => `タスク「${name}」を再開`,
    deleteTask: (name) => `タスク「${name}」を削除`,
    command: 'このコマンドを実行',
    request: (method, host) => method === 'GET' ? `${host} からページを取得` : `${host} に ${method} リクエストを送信`,
    mcp: (tool, server) => `${server} の ${tool} を使用`,
    sampling: (server) => `${server} からモデルへの問い合わせを許可`,
    instructions: '変更された指示を適用',
    budget: '予算を超えて続行',
    memory: 'メモリを変更',
    skills: 'このスキルを保存',
    schedules: 'タスクを変更',
    readOutside: 'ワークスペースの外を参照',
    readProtected: '保護されたファイルを参照',
    other: 'この操作を許可'
  },
  late: 'すでに別の場所で回答されています。'
}
