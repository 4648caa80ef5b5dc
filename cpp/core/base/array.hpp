// A buffer that is not initialised and keeps its memory when it is resized.
#pragma once

#include <cstdint>
#include <memory>

namespace silva {

using Wide = __int128;

template <class T>
class Array {
  public:
    Array() = default;
    explicit Array(int64_t size) { resize(size); }

    // Contents are undefined after the array has grown; a shorter one keeps its first elements.
    void resize(int64_t size) {
        if (size > capacity_) {
            data_.reset();
            data_ = std::make_unique_for_overwrite<T[]>(static_cast<size_t>(size));
            capacity_ = size;
        }
        size_ = size;
    }

    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    T& operator[](int64_t i) { return data_[i]; }
    const T& operator[](int64_t i) const { return data_[i]; }
    int64_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

  private:
    std::unique_ptr<T[]> data_;
    int64_t size_ = 0;
    int64_t capacity_ = 0;
};

}  // namespace silva
