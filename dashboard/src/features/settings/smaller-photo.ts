// A photograph made smaller before it is sent: a telephone's own has some 5 MB, and a paper is read
// as well from a tenth of that.

const large_bytes = 1_500_000
const longest_side = 2_200
const quality = 0.85

/** The file as it is where it is small, a PDF, or the browser cannot draw it. */
export async function madeSmaller(file: File): Promise<Blob> {
  if (!file.type.startsWith('image/') || file.size < large_bytes) return file
  const picture = await createImageBitmap(file).catch(() => undefined)
  if (picture === undefined) return file
  const { width, height } = picture
  const longest = width > height ? width : height
  const scale = longest > longest_side ? longest_side / longest : 1
  const canvas = document.createElement('canvas')
  canvas.width = width * scale
  canvas.height = height * scale
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height)
  const smaller = await new Promise<Blob | null>((resolve) =>
    canvas.toBlob(resolve, 'image/jpeg', quality),
  )
  return smaller === null || smaller.size > file.size ? file : smaller
}
