// The part of fontkit 2 that an invoice uses; the package has no types of its own. pdfkit takes a
// font that fontkit has opened (PDFFontFactory.open), which its published types leave out.

declare module 'fontkit' {
  export type Font = Readonly<{
    unitsPerEm: number
    hasGlyphForCodePoint(code_point: number): boolean
    glyphForCodePoint(code_point: number): Readonly<{ advanceWidth: number }>
    layout(text: string): Readonly<{ advanceWidth: number }>
  }>
  export function create(bytes: Uint8Array): Font
}

declare namespace PDFKit.Mixins {
  interface PDFFont {
    registerFont(name: string, font: import('fontkit').Font): this
  }
}

declare namespace PDFKit.Mixins {
  interface StructureElementOptions {
    /** In points from the top left: left, top, right, bottom. */
    bbox?: [number, number, number, number]
    /** What a heading of a table heads. */
    scope?: 'Row' | 'Column'
  }

  interface AnnotationOption {
    /** The tag that an annotation belongs to. */
    structParent?: PDFKit.PDFStructureElement
  }
}
