import { type Words } from '../en/index.js'

const chats = (count: number): string => count === 1 ? 'チャット' : `${count} 件のチャット`

/** Texts for actions on chats and projects in the list of chats. */
export const rail: Words['rail'] = {
  pin: 'ピン留め',
  unpin: 'ピン留めを外す',
  rename: '名前を変更',
  move: 'プロジェクトへ移動',
  newProject: '新しいプロジェクト…',
  noProject: 'プロジェクトなし',
  branch: '分岐',
  share: '共有',
  choose: '選択',
  archive: 'アーカイブ',
  delete: '削除',
  export: 'エクスポート',
  newChatHere: 'ここで新しいチャット',
  colour: '色',
  setUp: 'フォルダーと指示…',
  project: {
    title: (name) => `プロジェクト「${name}」`,
    folder: 'フォルダー',
    folderHint: '新しいチャットはここで始まります。空欄：既定のフォルダー。',
    instructions: '指示',
    instructionsHint: 'エージェントはこのプロジェクトのすべてのチャットでこの指示を受け取ります。',
    saved: (name) => `「${name}」を保存しました。`
  },
  removeProject: '削除',
  removeProjectNote: 'チャットは残ります。',
  colours: { green: '緑', blue: '青', purple: '紫', olive: 'オリーブ', brown: '茶', grey: 'グレー' },
  chosen: (count) => `${count} 件選択中`,
  endChoosing: '選択を終了',
  archived: (count) => `${chats(count)}をアーカイブしました。`,
  deleted: (count) => `${chats(count)}を削除しました。`,
  moved: (count, project) => `${chats(count)}を「${project}」に移動しました。`,
  movedOut: (count) => `${chats(count)}をプロジェクトから外しました。`,
  projectRemoved: (name) => `「${name}」を削除しました。チャットは日付別の一覧にあります。`
}
